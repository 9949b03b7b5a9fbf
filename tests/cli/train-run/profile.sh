# SPDX-License-Identifier: BSD-3-Clause
# The table of phases; --force and a run named by the environment.
. "$CASE_DIR/prepare.inc"
LONGHAUL_RUN=named LONGHAUL_RESTART=4 train-run -q --threads 2 run.toml --profile |
    sed 's/ *[0-9.]* *[0-9.]* *[0-9.]*%$//'
member named/exit.json restart
