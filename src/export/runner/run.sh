#!/usr/bin/env bash
# Builds the bundle and runs it: run.sh [seconds a configuration] [seed]. Writes observed.log, a log of litmus7, and
# configurations.tsv, what was seen under which stress. A test that hangs or fails is left out, and told.
set -uo pipefail
cd "$(dirname "$0")"
command -v nvcc > /dev/null || { echo "nvcc is not on the PATH: the bundle needs the CUDA toolkit" >&2; exit 2; }
make -s -j"$(nproc)" all || exit 2
from=0
: > observed.log
while :; do
  ./run --from "$from" --seconds "${1:-0.05}" --seed "${2:-1}" --states configurations.tsv manifest.txt >> observed.log
  code=$?
  [ $code -eq 3 ] || break
  last=$(grep -E '^(HUNG|FAILED) ' observed.log | tail -1)
  echo "$last" >&2
  from=$(($(echo "$last" | cut -d' ' -f2) + 1))
done
[ -f refused.txt ] && echo "ptxas refused $(wc -l < refused.txt) modules (refused.txt)" >&2
exit $code
