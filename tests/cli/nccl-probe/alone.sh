# SPDX-License-Identifier: BSD-3-Clause
# Without a launcher: a clear message, an answer for one process, and no busbw.
export SLURMD_NODENAME=n0
unset "${!OMPI_@}" "${!PMI@}" "${!PMIX_@}"
nccl-probe sweep -b 64 -e 1K -f 16 -n 2 -w 0 | grep -v '^#   rank' | sed 's/  *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]* \( *0.00\)/ T T T A\1/'
echo "exit ${PIPESTATUS[0]}"
nccl-probe sweep -q -b 64 -e 64 -n 1 -w 0 --min-busbw 1 | grep sweep.single
echo "exit ${PIPESTATUS[0]}"
nccl-probe pairs
echo "exit $?"
nccl-probe sweep --begin 8 --end 4 2>&1
echo "exit $?"
nccl-probe sweep all-reduse
echo "exit $?"
nccl-probe diagnoze x
echo "exit $?"
nccl-probe sweep --factor nan 2>&1
echo "exit $?"
