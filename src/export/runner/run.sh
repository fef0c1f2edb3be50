#!/usr/bin/env bash
# Builds the bundle and runs it: run.sh [seconds a configuration] [seed] [seconds of search]. Leaves observed.log, a log
# of litmus7; configurations.tsv, what was seen under which stress; controls.tsv; machine.txt; what ptxas made of each
# test; and all of that as observed.tar.gz. A test that hangs or fails is left out, and told; after LIMIT seconds no
# other one begins.
set -uo pipefail
cd "$(dirname "$0")"
command -v nvcc > /dev/null || { echo "nvcc is not on the PATH: the bundle needs the CUDA toolkit" >&2; exit 2; }
make -s -j"$(nproc)" all || exit 2
from=0
: > observed.log
: > left-out.txt
while :; do
  ./run --from "$from" --seconds "${1:-0.05}" --seed "${2:-1}" --search "${3:-20}" \
    --limit $((${LIMIT:-86400} - SECONDS)) --states configurations.tsv \
    --controls controls.tsv manifest.txt >> observed.log 2> >(tee -a left-out.txt >&2)
  code=$?
  [ $code -eq 3 ] || break
  last=$(grep -E '^(HUNG|FAILED) ' observed.log | tail -1)
  echo "$last" | tee -a left-out.txt >&2
  from=$(($(echo "$last" | cut -d' ' -f2) + 1))
done
[ -f refused.txt ] && echo "ptxas refused $(wc -l < refused.txt) modules (refused.txt)" >&2
[ $code -eq 0 ] || exit $code
{ nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv; nvcc --version | tail -2
  ptxas --version | tail -2; uname -sr; date -u +%F; } > machine.txt 2>&1
if command -v nvdisasm > /dev/null; then make -s -k -j"$(nproc)" sass; else echo "no nvdisasm: no SASS is kept" >&2; fi
kept=$(ls observed.log configurations.tsv controls.tsv machine.txt left-out.txt refused.txt 2> /dev/null)
find tests -name '*.sass' | tar czf observed.tar.gz $kept -T -
