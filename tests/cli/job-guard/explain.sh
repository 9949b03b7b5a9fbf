# SPDX-License-Identifier: BSD-3-Clause
mkdir run
cat >run/faults.jsonl <<'X'
{"schema":1,"event":"start","time_unix_s":1700000000,"job":"12","restart":0,"nodes":"n[1-4]","step":null}
{"schema":1,"event":"end","time_unix_s":1700003600,"job":"12","restart":0,"nodes":"n2","step":500,"cause":"node","evidence":"Slurm lost n2","action":"restart","exit_code":137,"duration_s":3600.0}
{"schema":1,"event":"loss-spike","step":510}
{"schema":1,"event":"start","time_unix_s":1700003602,"job":"12","restart":1,"nodes":"n[1,3-5]","step":500}
{"schema":1,"event":"end","time_unix_s":1700003700,"job":"12","restart":1,"nodes":"","step":500,"cause":"disk","evidence":"write: No space left on device","action":"hold","exit_code":3,"duration_s":98.0}
{"schema":1,"event":"sta
X
export LONGHAUL_SLURM_AGENT=none
PATH=$(dirname "$(command -v job-guard)") # no scontrol
job-guard explain run
job-guard explain --json run
