# SPDX-License-Identifier: BSD-3-Clause
# Signals at awkward moments: during the preflight, with the log's reader gone, under nohup.
wait_for() { for _ in $(seq 300); do [ -e "$1" ] && return; sleep 0.05; done; echo "no $1"; }
cause() { sed -n 's/.*"event":"end".*"cause":"\([^"]*\)".*/\1/p' run/faults.jsonl | tail -n 1; }
# A preflight that ends of the signal, and one that does not care: the command is not started.
for trap in '' 'trap "" USR1;'; do
    printf '[preflight]\ncommand = ["sh", "-c", "%s touch ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done"]\n' \
        "${trap//\"/\\\"}" >policy.toml
    rm -f ready
    job-guard -q --policy policy.toml --run run -- touch started &
    wait_for ready
    kill -s USR1 $!
    wait $!
    echo "preflight: $? $(cause)"
done
[ -e started ] && echo "started"
# The command ends well although nobody reads what it says.
rm -rf run
{ job-guard --run run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo line >&2; sleep 0.05; done'; echo $? >code; } 2>&1 |
    head -n 1 >/dev/null
for _ in $(seq 100); do [ -e code ] && break; sleep 0.05; done
echo "closed log: $(cat code) $(cause)"
# HUP was ignored, and is.
nohup job-guard -q --run run -- sh -c 'touch at_work; sleep 0.5' >/dev/null 2>&1 &
wait_for at_work
kill -s HUP $!
wait $!
echo "nohup: $? $(cause)"
# A parent that ignores the ends of children.
(trap '' CHLD; exec job-guard -q --run run -- true)
echo "ignored CHLD: $?"
