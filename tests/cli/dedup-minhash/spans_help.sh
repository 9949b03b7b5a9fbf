#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
dedup-minhash spans --help
