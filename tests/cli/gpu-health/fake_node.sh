# SPDX-License-Identifier: BSD-3-Clause
# The whole way through dlopen: a node played by the NVML stand-in, a kernel log in a file, state.
fake=$LONGHAUL_BIN/../tests/unit/health/libnvml_fake.so
[ -e "$fake" ] || { echo "the NVML stand-in is not built"; exit 77; }
export LONGHAUL_NVML=$fake LONGHAUL_NVML_FAKE=$PWD/node.ini
mkdir -p root/proc/sys/kernel/random
echo boot-1 >root/proc/sys/kernel/random/boot_id
printf 'MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n' >root/proc/meminfo
cat >kernel.log <<'LOG'
[   10.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15
[  500.250000] NVRM: Xid (PCI:0000:2a:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error
LOG
printf '[limits]\ndisks = []\n' >site.toml
check() {
    gpu-health --context healthcheck --state state.json --sys-root root --kernel-log kernel.log --config site.toml "$@"
    echo "exit $?"
}
printf 'gpus = 2\n' >node.ini
check --expect-gpus 2
check --expect-gpus 2 -v | grep xid
echo '[  600.000001] NVRM: Xid (PCI:0000:1a:00): 31, pid=5, name=app, MMU fault' >>kernel.log
check --expect-gpus 2
echo "{" >state.json
check --expect-gpus 2 | sed 's/byte [0-9]*: .* ->/byte N: ... ->/'
printf 'gpus = 2\n[gpu 1]\nhang = nvmlDeviceGetTemperature\n' >node.ini
check --expect-gpus 2 --group-deadline 1.5s
printf 'gpus = 2\nhang = nvmlInit_v2\n' >node.ini
check --expect-gpus 2 --group-deadline 1.5s --exit-policy slurm
printf 'gpus = 2\n' >node.ini
gpu-health record -o node.json --sys-root root --kernel-log kernel.log
gpu-health --input node.json --expect-gpus 3 | grep -v 'node.disk'
LONGHAUL_NVML=/nonexistent.so check --expect-gpus 2 | sed 's/cannot load.*)/cannot load/'
