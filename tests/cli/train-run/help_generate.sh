# SPDX-License-Identifier: BSD-3-Clause
train-run generate --help
