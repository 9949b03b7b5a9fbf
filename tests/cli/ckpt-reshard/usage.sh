# SPDX-License-Identifier: BSD-3-Clause
# Mistakes on the command line: one line each, exit 2.
try() { ckpt-reshard "$@"; echo "exit $?"; }
try
try frobnicate
try run
try run nowhere there --to tp=2
mkdir empty
try verify empty
try ls nowhere
ckpt-reshard import-hf -q "$DATA/ckpt/hf/gpt2" a
try run a b --to tp=2,cows=3
try run a b --to tp=0
try run a b --to ''
try run a b --to tp=2,tp=4
try run a b --to zero=9
try run a b --to tp=99999999
try run a '' --to tp=2
try run --force a a --to tp=2
try run --force a . --to tp=2
try run a b --to tp=2 --dtype f8
try run a b --to tp=2 --memory 3K
try diff a a --kind x
try gc . --mine today
try gc a
try ls empty
try verify a nowhere
