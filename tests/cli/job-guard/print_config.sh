# SPDX-License-Identifier: BSD-3-Clause
job-guard --print-config
