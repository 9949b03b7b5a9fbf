#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# skip.sh REASON: stands for a test that this machine can not run, so that it is named, not missing.
echo "skipped: $1"
exit 77
