#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Includes follow the layer table of ARCHITECTURE.md: a folder may include its own headers and those
# of lower rows, never those of its own row (unless said "sees"). Foreign headers appear only in their
# owner's folder. Both tables are read from ARCHITECTURE.md.
set -euo pipefail

python3 - <<'PY'
import re
import subprocess
import sys

text = open("ARCHITECTURE.md", encoding="utf-8").read()
layer, sees = {}, {}
for row in re.findall(r"^\| (\d+) \| (.+) \|$", text, re.M):
    for folder in re.findall(r"`([a-z/]+)`", row[1]):
        layer[folder] = int(row[0])
for folder, seen in re.findall(r"`([a-z/]+)` sees only ([^.;|]+)", text):
    sees[folder] = set(re.findall(r"`([a-z/]+)`", seen))
also = set(re.findall(r"`([a-z/]+)` may include `([a-z/]+)`", text))
foreign = re.findall(r"^\| `<([^>]+)>` \| (.+) \|$", text, re.M)
if len(layer) < 20 or len(foreign) < 8:
    sys.exit("layers.sh: can not read the tables of ARCHITECTURE.md")

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "lib", "kernels", "tools"],
                       capture_output=True, text=True, check=True).stdout.split()
errors = []


def folder_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "lib" else parts[0]


for path in files:
    if not re.search(r"\.(h|cpp|cu|cuh)$", path):
        continue
    own = folder_of(path)
    if own != "tools" and own not in layer:
        errors.append(f"{path}: folder {own} is in no layer of ARCHITECTURE.md")
        continue
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        place = f"{path}:{number}"
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            target = match[1]
            if not re.match(r"(lib|kernels|tools|tests)/", target):
                errors.append(f"{place}: include {target} from the repository root")
                continue
            other = folder_of(target)
            if own == "tools" or other == own:
                continue
            if (own, other) in also:
                continue
            if other not in layer or layer[other] >= layer[own]:
                errors.append(f"{place}: {own} (layer {layer[own]}) may not include {other} "
                              f"(layer {layer.get(other)})")
            elif own in sees and other not in sees[own]:
                errors.append(f"{place}: {own} may not include {other}")
        match = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
        if match:
            for prefix, owners in foreign:
                if match[1].startswith(prefix):
                    allowed = re.findall(r"`([^`]+)`", owners)
                    if not any(path == a or path.startswith(a + "/") for a in allowed):
                        errors.append(f"{place}: <{match[1]}> belongs to {owners}")
for error in errors:
    print(error)
sys.exit(1 if errors else 0)
PY
