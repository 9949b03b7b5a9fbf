#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `meson install` puts programs, man pages, completions, slurm/ and examples/ in place, and installed
# programs run from there.
set -uo pipefail
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
DESTDIR=$target meson install -C "$LONGHAUL_BUILD" --no-rebuild >"$target/log" 2>&1 || { cat "$target/log"; exit 1; }
failed=0
complain() { echo "$*"; failed=1; }
prefix=$(find "$target" -type d -name share | head -n 1)
prefix=${prefix%/share}
for program in $LONGHAUL_PROGRAMS; do
    installed=$(find "$prefix" -type f -name "$program" -perm -u+x | head -n 1)
    [ -n "$installed" ] || { complain "$program is not installed"; continue; }
    "$installed" --version >/dev/null || complain "the installed $program does not start"
    [ "$program" = slurm-agent ] || [ -e "$prefix/share/bash-completion/completions/$program" ] ||
        complain "$program has no completion"
done
[ -e "$prefix/share/man/man7/longhaul.7" ] || complain "longhaul.7 is not installed"
for file in slurm/README.md examples/quickstart.sh; do
    [ -e "$file" ] || continue
    [ -e "$prefix/share/longhaul/$file" ] || complain "$file is not installed"
done
exit "$failed"
