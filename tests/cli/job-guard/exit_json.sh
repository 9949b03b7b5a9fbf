# SPDX-License-Identifier: BSD-3-Clause
# exit.json is believed if it is of this start; the history says what was done.
cat >train <<'X'
#!/bin/sh
mkdir -p "$LONGHAUL_RUN/ckpt/step-00000010"
echo '{}' >"$LONGHAUL_RUN/ckpt/step-00000010/MANIFEST.json"
echo "{\"code\":3,\"cause\":\"non-finite\",\"detail\":\"loss at step 12\",\"step\":12,\"restart\":$LONGHAUL_RESTART}" \
    >"$LONGHAUL_RUN/exit.json"
exit 3
X
chmod +x train
mkdir run
echo '{"code":0,"cause":"finished","step":1,"restart":7}' >run/exit.json
job-guard --run run -- ./train
echo "code $?"
sed -E 's/"(time_unix_s|duration_s)":[0-9.]+/"\1":0/g' run/faults.jsonl
