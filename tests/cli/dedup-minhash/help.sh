#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
dedup-minhash --help
echo ---
dedup-minhash explain --help
