#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The disk of the work directory fills up in each stage: an error that says so, nothing half-written,
# and with room again the stage gives the same bytes.
command -v unshare >/dev/null || { echo "no unshare(1)"; exit 77; }
unshare -rm true 2>/dev/null || { echo "user namespaces are not allowed here"; exit 77; }
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in small
for k in 1 2; do make_corpus $k 3000 >in/$k.jsonl; done
dedup-minhash -q -o want --removal-list want.list in
cat >inside.sh <<'X'
mount -t tmpfs -o size=64m tmpfs small || exit 77
fill() { cat /dev/zero >small/filler 2>/dev/null; truncate -s -8192 small/filler; }
run() { # run STAGE: on a full disk, then with room
    fill
    "${@}" 2>&1 | sed 's/: error: .*\(No space left on device\).*/: error: ... \1/'
    echo "$2: exit ${PIPESTATUS[0]}"
    find small -name '.*.tmp-*'
    rm small/filler
    "${@}" || echo "exit $?"
}
dedup-minhash plan -q --units 2 small/work in
for stage in sign exact group shingles cluster; do run dedup-minhash $stage -q small/work; done
run dedup-minhash apply -q small/work -o small/out --removal-list small/list
diff -r want small/out && cmp want.list small/list && echo "same"
fill
dedup-minhash plan -q small/other in
echo "plan: exit $?"
X
unshare -rm bash inside.sh
