#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plain text: a file is a document, or each line is one.
set -eu
printf 'one two three\n' >a.txt
printf 'One, two, three!\n' >b.txt
printf 'four\n\nfour\nfive\n' >c.txt
dedup-minhash -q -o out a.txt b.txt c.txt
(cd out && wc -c a.txt b.txt c.txt)
dedup-minhash -q --input-format lines c.txt
