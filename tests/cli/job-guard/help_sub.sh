# SPDX-License-Identifier: BSD-3-Clause
job-guard check --help
job-guard explain --help
