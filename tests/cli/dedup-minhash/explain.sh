#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
dedup-minhash explain
dedup-minhash explain --threshold 0.9 --hash datatrove
dedup-minhash explain --bands 20 --rows 13 --ngram 3
