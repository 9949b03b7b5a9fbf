#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sums up meson's test logs: names every failure and the reason of every skipped test, and ends with
the line "N passed, N failed, N skipped". A TAP test counts once for each of its cases."""
import json
import re
import sys


def tap_cases(stdout):
    """(result, name and reason) of each case in TAP output."""
    for line in stdout.splitlines():
        match = re.match(r"(not )?ok \d+ ?(.*)", line)
        if match:
            skipped = "# SKIP" in match[2]
            yield ("failed" if match[1] else "skipped" if skipped else "passed", match[2])


def skip_reason(test):
    lines = [line for line in (test.get("stdout") or "").splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def main(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    notes = []
    for path in paths:
        with open(path, encoding="utf-8") as log:
            tests = [json.loads(line) for line in log]
        for test in tests:
            name = test["name"]
            cases = list(tap_cases(test.get("stdout") or "")) if "cli" in name else []
            for result, text in cases:
                counts[result] += 1
                if result != "passed":
                    notes.append(f"{result}: {name}: {text}")
            if any(result == "failed" for result, _ in cases):
                continue
            if test["result"] == "SKIP":
                counts["skipped"] += 1
                notes.append(f"skipped: {name}: {skip_reason(test)}")
            elif test["result"] not in ("OK", "EXPECTEDFAIL"):
                counts["failed"] += 1
                notes.append(f"failed: {name} ({test['result']})")
            elif not cases:
                counts["passed"] += 1
    for note in sorted(notes):
        print(note)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
