#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ring dumps of four ranks for nccl-probe hang, in the format of longhaul-run-directory(5):
absent/ rank 2 is busy before call 3; dead/ rank 1 wrote no dump; differ/ ranks 0 and 3 disagree;
network/ all have entered the call; chain/ rank 1 waits for 0, the others for 1."""
import json
import os

DP = [0, 1, 2, 3]


def call(seq, state="done", op="all_reduce", axis="dp", group=None, peer=-1, size=4096, what="grad"):
    return {"seq": seq, "axis": axis, "group": group or DP, "op": op, "what": what, "step": 120,
            "block": 3, "bytes": size, "peer": peer, "state": state,
            "posted_s": 1000.0 + seq, "done_s": 1000.5 + seq if state == "done" else 0.0}


def write(name, ranks):
    os.makedirs(f"{name}/ring", exist_ok=True)
    for rank, calls in ranks.items():
        with open(f"{name}/ring/rank-{rank:05d}.json", "w") as file:
            json.dump({"schema": 1, "rank": rank, "world_size": 4, "host": f"n{rank // 2 + 1}",
                       "pid": 100 + rank, "written_s": 1300.0, "entries": calls}, file)
            file.write("\n")


done = [call(1), call(2)]
wait = done + [call(3, "started", peer=2)]
write("absent", {0: wait, 1: wait, 2: done, 3: wait})
write("dead", {0: wait, 2: wait, 3: wait})
write("differ", {0: wait, 1: wait, 2: wait,
                 3: done + [call(3, "started", op="all_gather", what="weights")]})
write("network", {0: wait, 1: wait, 2: done + [call(3, "started", peer=1)], 3: wait})
write("chain", {0: done, 1: done + [call(7, "started", op="recv", axis="pp", group=[0, 1], peer=0)],
                2: wait, 3: wait})
write("none", {r: done for r in range(4)})
