#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the recordings of this folder: MODEL-FAULT.json, as `gpu-health record` would on such a node.
They are made up from NVML's documentation and published logs, not taken from real machines; a real odd
node that is met later is added as its own recording, not through this script."""
import copy
import json

READ = {"state": "read"}


def gpu(index, name, links):
    bus = 0x1A + 16 * index
    return {
        "name": name, "uuid": f"GPU-{index:08x}", "serial": f"1652224{index:04d}",
        "vbios_version": "96.00.99.00.01", "bus_id": f"00000000:{bus:02X}:00.0", "minor_number": index,
        "persistence_mode": 1, "compute_mode": 0, "mig_mode": 0, "mig_mode_pending": 0, "handle": 0,
        "recovery_action": 0, "ecc_mode": 1, "ecc_mode_pending": 1,
        "ecc_volatile_corrected": 0, "ecc_volatile_uncorrected": 0,
        "ecc_aggregate_corrected": 2, "ecc_aggregate_uncorrected": 0,
        "remapped_correctable": 0, "remapped_uncorrectable": 0, "remap_pending": 0, "remap_failure": 0,
        "remap_banks_without_spares": 0, "retired_pages_pending": {"error": 3},
        "clocks_event_reasons": 1, "temperature_c": 35 + index, "slowdown_temperature_c": 87,
        "performance_state": 0, "power_mw": 71000, "power_limit_mw": 700000, "utilization_percent": 0,
        "pcie_generation": 5, "pcie_width": 16, "max_pcie_generation": 5, "max_pcie_width": 16,
        "pcie_replays": 0, "nvlink_links": links, "nvlink_active": links, "nvlink_errors": 0,
        "fabric_state": 3, "fabric_status": 0, "fabric_health_mask": 426,
        "memory_total_mib": 81559, "memory_used_mib": 4, "num_compute_processes": 0, "compute_pids": ""}


def node(name="NVIDIA H100 80GB HBM3", count=4, links=18):
    topics = ["identity", "recovery", "remap", "ecc", "clocks", "pcie", "nvlink", "use"]
    groups = {g: READ for g in ["pci", "ports", "memory", "disk /", "kernel log", "nvml"]}
    groups.update({f"gpu.{i}.{t}": READ for i in range(count) for t in topics})
    return {
        "schema": 1, "kind": "gpu-health recording", "host": "n1", "unix_s": 1764417600.0, "boot_id": "b1",
        "groups": groups,
        "system": {"init": 0, "driver_version": "570.86.15", "nvml_version": "12.570.86.15",
                   "cuda_driver_version": 12080, "gpu_count": count},
        "nvml_problem": "", "gpus": [gpu(i, name, links) for i in range(count)],
        "pci_gpus": [{"address": f"0000:{0x1A + 16 * i:02x}:00.0", "width": 16, "max_width": 16,
                      "speed_gt_per_s": 32.0, "max_speed_gt_per_s": 32.0, "driver": "nvidia"}
                     for i in range(count)],
        "rdma_ports": [{"device": f"mlx5_{i}", "port": 1, "link_layer": "InfiniBand", "state": "ACTIVE",
                        "phys_state": "LinkUp", "rate_gbit_per_s": 400.0,
                        "gid0": f"fe80:0000:0000:0000:0000:0000:0000:000{i + 1}"} for i in range(count)],
        "port_counters": {f"mlx5_{i}/1": {"symbol_error": 0, "link_downed": 0} for i in range(count)},
        "kernel_log": {"read": True, "source": "/dev/kmsg", "last_sequence": 900, "last_boot_us": 90000000,
                       "lines": []},
        "disks": [{"path": "/", "total_mib": 450000, "free_mib": 300000, "free_inodes": 9000000}],
        "memory": {"total_kib": 2113536000, "available_kib": 2050000000, "shm_total_kib": 1056768000,
                   "shm_free_kib": 1056768000}}


def log(recording, *texts):
    recording["kernel_log"]["lines"] = [
        {"sequence": 100 + i, "boot_us": 1000 * i, "text": t} for i, t in enumerate(texts)]


def hung(recording, group):
    recording["groups"][group] = {"state": "timed out", "why": "no answer within 5 s"}


def lose(recording, index):
    for key in list(recording["gpus"][index]):
        if key not in ("uuid", "bus_id", "name", "handle"):
            recording["gpus"][index][key] = {"error": 15}


def recordings():
    r = node(); yield "h100-healthy", r
    r = node(count=3); r["pci_gpus"] = node()["pci_gpus"]; yield "h100-one-missing", r
    r = node(); lose(r, 2)
    log(r, "NVRM: Xid (PCI:0000:3a:00): 79, pid=7194, name=python, GPU has fallen off the bus."); yield "h100-xid79", r
    r = node(); g = r["gpus"][1]
    g.update(ecc_volatile_uncorrected=3, ecc_aggregate_uncorrected=3, remapped_uncorrectable=1, remap_pending=1)
    log(r, "NVRM: Xid (PCI:0000:2a:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error)",
        "NVRM: Xid (PCI:0000:2a:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: pending"); yield "h100-dbe", r
    r = node(); r["gpus"][0].update(remap_failure=1, remapped_uncorrectable=512, remap_banks_without_spares=2)
    yield "h100-remap-failure", r
    r = node(); r["gpus"][3]["recovery_action"] = 2; yield "h100-recovery-reboot", r
    r = node(); r["gpus"][2].update(clocks_event_reasons=0x48, temperature_c=91, performance_state=0, utilization_percent=100)
    yield "h100-hot", r
    r = node(); r["gpus"][1].update(clocks_event_reasons=0x84); yield "h100-power-brake", r
    r = node(); r["gpus"][0].update(clocks_event_reasons=0x4, utilization_percent=100); yield "h100-power-cap", r
    r = node(); r["gpus"][0].update(pcie_width=8); yield "h100-pcie-x8", r
    r = node()
    for g in r["gpus"]: g.update(pcie_generation=1, performance_state=8)
    yield "h100-idle-gen1", r
    r = node(); r["gpus"][2].update(pcie_generation=3, clocks_event_reasons=0, utilization_percent=97); yield "h100-pcie-gen3-load", r
    r = node(); r["gpus"][1].update(nvlink_active=16); yield "h100-nvlink-down", r
    r = node("NVIDIA H100 NVL", 2, 12); yield "h100nvl-12-links", r
    r = node()
    for g in r["gpus"]: g.update(nvlink_active=0, fabric_state=1)
    yield "h100-no-fabric-manager", r
    r = node(); r["gpus"][0].update(fabric_health_mask=0x1AA ^ 0x3); yield "h100-fabric-degraded", r
    r = node(); hung(r, "gpu.2.ecc")
    for k in [k for k in r["gpus"][2] if k.startswith("ecc_")]: del r["gpus"][2][k]
    yield "h100-hung-ecc", r
    r = node(); hung(r, "nvml"); r["gpus"] = []; r["system"] = {}; yield "h100-hung-driver", r
    r = node(); r["gpus"] = []; r["system"] = {"init": {"error": 9}}
    r["nvml_problem"] = "the NVIDIA driver is not loaded: Driver Not Loaded (NVML error 9)"; yield "h100-no-driver", r
    r = node(); r["gpus"] = []; r["system"] = {"init": {"error": 18}}
    r["nvml_problem"] = "library and kernel module differ (driver updated without a reload): Driver/library version mismatch (NVML error 18)"
    yield "h100-driver-mismatch", r
    r = node(); r["gpus"] = []; r["system"] = {"init": {"error": 999}}
    r["nvml_problem"] = "NVML did not start, often a container without /dev/nvidia* (cgroup): Unknown Error (NVML error 999)"
    yield "h100-no-permission", r
    r = node(); log(r, "NVRM: Xid (PCI:0000:1a:00): 31, pid=9, name=python, Ch 00000010, MMU Fault",
                    "NVRM: Xid (PCI:0000:1a:00): 43, pid=9, name=python, Ch 00000010",
                    "NVRM: Xid (PCI:0000:1a:00 GPU-I:05): 94, pid=10, name=python, Contained: SM (0x1)"); yield "h100-xid-app", r
    r = node(); log(r, "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 28 LTSSM Fault Up",
                    "NVRM: Xid (PCI:0000:1a:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error"); yield "h100-sxid", r
    r = node(); log(r, "NVRM: Xid (PCI:0000:1a:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                    "NVRM: Xid (PCI:0000:2a:00): 987, something new"); yield "h100-xid154", r
    r = node(); r["kernel_log"] = {"read": False, "why": "cannot open /dev/kmsg: Operation not permitted"}; yield "h100-no-kmsg", r
    r = node(); r["gpus"][1]["vbios_version"] = "96.00.74.00.01"; r["gpus"][2].update(ecc_mode=0); yield "h100-mixed", r
    r = node(); r["rdma_ports"][1].update(rate_gbit_per_s=200.0); r["rdma_ports"][2].update(state="DOWN", phys_state="Polling")
    r["rdma_ports"][3].update(state="INIT"); yield "h100-ports", r
    r = node(); r["disks"].append({"path": "/scratch", "total_mib": 900000, "free_mib": 12})
    r["disks"].append({"path": "/data", "total_mib": 900000, "free_mib": 5000, "read_only": True})
    r["groups"]["disk /home"] = {"state": "timed out", "why": "no answer within 5 s"}
    r["memory"].update(available_kib=21135360, corrupted_kib=4); yield "h100-node", r
    r = node("Tesla V100-SXM2-32GB", 2, 6)
    for g in r["gpus"]:
        for k in ("remapped_correctable", "remapped_uncorrectable", "remap_pending", "remap_failure",
                  "remap_banks_without_spares", "recovery_action", "fabric_state", "fabric_status", "fabric_health_mask"):
            g[k] = {"error": 3}
        g.update(retired_pages_pending=0, pcie_generation=3, max_pcie_generation=3)
    r["gpus"][1]["retired_pages_pending"] = 1; yield "v100-page-pending", r
    r = node("NVIDIA GeForce RTX 4090", 1, 0); g = r["gpus"][0]
    for k in list(g):
        if k.startswith(("ecc_", "remap", "nvlink_", "fabric_", "recovery")): g[k] = {"error": 3}
    r["rdma_ports"] = []; r["port_counters"] = {}; yield "rtx4090-healthy", r
    r = node(count=0); r["pci_gpus"] = []; r["rdma_ports"] = []; r["port_counters"] = {}; r["system"] = {}
    r["nvml_problem"] = "cannot load libnvidia-ml.so.1: no such file"; yield "cpu-node", r


if __name__ == "__main__":
    for name, recording in recordings():
        with open(name + ".json", "w") as file:
            json.dump(recording, file, indent=None, separators=(",", ":"), sort_keys=False)
            file.write("\n")
