#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# C++ and CUDA sources are formatted as .clang-format says (clang-format 14, as in Debian 12).
set -uo pipefail
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "clang-format is not installed"; exit 77; }
"$tool" --version | grep -q 'version 14' || { echo "needs clang-format 14, found: $("$tool" --version)"; exit 77; }
git ls-files -co --exclude-standard | grep -E '\.(cpp|h|cu|cuh)$' | grep -v '^tests/data/' |
    xargs "$tool" --dry-run -Werror
