# SPDX-License-Identifier: BSD-3-Clause
# What is wrong on the command line or in the file is named, with exit code 2.
try() { train-run "$@"; echo "exit code $?"; }
try
try missing.toml
printf '[data]\ntrian = ["x"]\n' >misspelt.toml
try misspelt.toml
printf '[job]\nsteps = "ten"\n' >wrong_type.toml
try wrong_type.toml
printf 'x = [' >syntax.toml
try syntax.toml
: >empty.toml
try empty.toml
try empty.toml --set data.micro_btach=3
try empty.toml --set job.steps=5 --set 'data.train=["x"]' --set parallel.tp=2
try empty.toml --set job.steps=5 --set 'data.train=["x"]' --set parallel.zero=4
try empty.toml --frobnicate
try empty.toml --set job.steps=5 --set 'data.train=["x"]' --json
try generate
try empty.toml --set job.steps=5 --set 'data.train=["x"]' --dry-run --set data.global_batch=9223372036854775807
try empty.toml --set job.steps=5 --set 'data.train=["x"]' --run ""
