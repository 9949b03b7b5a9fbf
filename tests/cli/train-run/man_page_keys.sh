# SPDX-License-Identifier: BSD-3-Clause
# longhaul-run.toml(5) names every key of the configuration, and no other.
: >empty.toml
train-run empty.toml --print-config | sed -n 's/^\([a-z0-9_]*\) = .*/\1/p' | sort >keys
sed -n 's/^\.BR \([a-z0-9_]*\) " = .*/\1/p' "$CASE_DIR/../../../man/longhaul-run.toml.5.in" | sort >page
diff keys page && echo "$(wc -l <keys) keys"
