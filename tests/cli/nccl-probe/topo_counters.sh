# SPDX-License-Identifier: BSD-3-Clause
# A snapshot of a node with two GPUs, two RDMA ports (one trained too slow) and a narrowed GPU.
device() { # address class vendor width max_width numa
    local folder=sys/devices/pci0000:$7/0000:$7:01.0/$1
    mkdir -p "$folder" sys/bus/pci/devices
    ln -s "../../../devices/pci0000:$7/0000:$7:01.0/$1" "sys/bus/pci/devices/$1"
    echo "$2" >"$folder/class"
    echo "$3" >"$folder/vendor"
    echo 0x2330 >"$folder/device"
    echo "$4" >"$folder/current_link_width"
    echo "$5" >"$folder/max_link_width"
    echo "32.0 GT/s PCIe" >"$folder/current_link_speed"
    echo "32.0 GT/s PCIe" >"$folder/max_link_speed"
    echo "$6" >"$folder/numa_node"
}
port() { # name address rate
    local folder=sys/class/infiniband/$1/ports/1
    mkdir -p "$folder/counters" "$folder/gids"
    ln -s "../../../bus/pci/devices/$2" "sys/class/infiniband/$1/device"
    echo "4: ACTIVE" >"$folder/state"
    echo "5: LinkUp" >"$folder/phys_state"
    echo "$3 Gb/sec (4X NDR)" >"$folder/rate"
    echo InfiniBand >"$folder/link_layer"
    echo "fe80:0000:0000:0000:0000:0000:0000:0001" >"$folder/gids/0"
    echo 0 >"$folder/counters/link_downed"
    echo 5 >"$folder/counters/symbol_error"
}
mkdir -p node/proc/sys/kernel/random && cd node || exit 3
echo boot-1 >proc/sys/kernel/random/boot_id
device 0000:4e:00.0 0x030200 0x10de 16 16 0 4d
device 0000:4f:00.0 0x020700 0x15b3 16 16 0 4d
device 0000:9e:00.0 0x030200 0x10de 8 16 1 9d
device 0000:9f:00.0 0x020700 0x15b3 16 16 1 9d
port mlx5_0 0000:4f:00.0 400
port mlx5_1 0000:9f:00.0 200
cd ..
nccl-probe topo --input node
echo "exit $?"
nccl-probe topo --input node --json
mkdir -p bare/sys
nccl-probe topo --input bare
echo "exit $?"
nccl-probe counters --input node --interval 0.01s --save before.json
echo "exit $?"
echo 1 >node/sys/class/infiniband/mlx5_1/ports/1/counters/link_downed
nccl-probe counters --input node --since before.json | sed 's/ in [0-9.a-z]*:/ in TIME:/'
echo "exit ${PIPESTATUS[0]}"
echo '{"boot_id":"boot-0","unix_s":1.0,"ports":{}}' >other.json
nccl-probe counters --input node --since other.json
echo "exit $?"
echo '{"boot_id":' >torn.json
nccl-probe counters --input node --since torn.json
echo "exit $?"
nccl-probe topo --input torn.json
echo "exit $?"
nccl-probe counters --input nowhere --interval 0
echo "exit $?"
