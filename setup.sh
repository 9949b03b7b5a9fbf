#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what Longhaul needs on Debian 12 or Ubuntu and builds it in build/. Safe to run again.
#   ./setup.sh                  packages, then the build
#   ./setup.sh --deps-only      packages only
#   ./setup.sh --with-tests     also the tests, and what tests/run.sh needs (Slurm, munge, linters)
#   ./setup.sh --build-dir DIR  another build folder
set -euo pipefail
cd "$(dirname "$0")"

build_packages=(
    g++ meson ninja-build pkg-config
    libcli11-dev libtomlplusplus-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libxxhash-dev
    libzstd-dev libisal-dev libsnappy-dev libhdf5-dev libdnnl-dev libhwy-dev libopenmpi-dev openmpi-bin
    libslurm-dev doctest-dev
)
# The text of the quickstart, and zstd for its pipes.
example_packages=(perl-doc zstd)
test_packages=(
    slurmctld slurmd slurm-client munge iproute2 nftables util-linux btrfs-progs
    mandoc shellcheck clang-format clang-tidy bash-completion procps gzip python3.11-doc
)

say() { printf 'setup.sh: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 3; }

deps_only=false with_tests=false build_dir=build
while [ $# -gt 0 ]; do
    case $1 in
        --deps-only) deps_only=true ;;
        --with-tests) with_tests=true ;;
        --build-dir) build_dir=${2:?--build-dir wants a folder}; shift ;;
        -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) say "unknown option $1. Try './setup.sh --help'"; exit 2 ;;
    esac
    shift
done

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
is_available() { apt-cache show "$1" >/dev/null 2>&1; }

install_packages() {
    local package missing=() optional=()
    for package in "${build_packages[@]}" "${example_packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    if $with_tests; then
        for package in "${test_packages[@]}"; do is_installed "$package" || optional+=("$package"); done
    fi
    if [ ${#missing[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ]; then
        say "all packages are there"
        return
    fi
    command -v apt-get >/dev/null || die "no apt-get here; install by hand: ${missing[*]}"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "needs root or sudo to install: ${missing[*]}"
        root=(sudo)
    fi
    say "updating the package lists"
    "${root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists at hand"
    # Packages only for tests may have another name or be absent: the tests then skip and say so.
    for package in "${optional[@]}"; do
        if is_available "$package"; then missing+=("$package"); else say "not available, skipped: $package"; fi
    done
    say "installing ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null || die "apt-get install failed; run it by hand to see why"
}

build() {
    if [ ! -e "$build_dir/build.ninja" ]; then
        meson setup "$build_dir" -Dtests=$with_tests || die "meson setup failed; see $build_dir/meson-logs/meson-log.txt"
    fi
    ninja -C "$build_dir" || die "the build failed"
    say "programs are in $build_dir/tools; 'meson install -C $build_dir' installs them"
}

install_packages
$deps_only || build
