# SPDX-License-Identifier: BSD-3-Clause
unset "${!NCCL_@}" "${!UCX_@}" "${!OMPI_@}" "${!FI_@}" CUDA_VISIBLE_DEVICES CUDA_LAUNCH_BLOCKING
export HOME=$PWD
mkdir -p root/sys/class/net/eth0 root/sys/class/net/eth10 root/etc
echo 1500 >root/sys/class/net/eth0/mtu
echo 1500 >root/sys/class/net/eth10/mtu
printf 'NCCL_IB_DISABLE=1\nNCCL_SOCKET_IFNAME=eth1\nNCCL_SOKET_NTHREADS=4\n' >vars
nccl-probe env --sys-root root --input vars
echo "exit $?"
NCCL_SOCKET_IFNAME=eno1 nccl-probe env --sys-root root
echo "exit $?"
echo 'NCCL_P2P_DISABLE=1' >root/etc/nccl.conf
nccl-probe env --sys-root root --json
echo "exit $?"
nccl-probe env --sys-root root --strict --json >/dev/null
echo "exit $?"
