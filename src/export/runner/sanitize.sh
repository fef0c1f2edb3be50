#!/usr/bin/env bash
# Runs every kernel test of the bundle alone and under each checker of compute-sanitizer: sanitize.sh OUT [seconds].
# Writes OUT/sanitizer.txt: a header for each test and tool, with exit status and seconds, and what was printed. What is
# there already, in OUT or beside this script, is not run again: where the time was not enough, run it once more. TOOLS
# names some of them (plain racecheck memcheck synccheck initcheck), HANGS some of the classes none, undefined and spin:
# tests that should end, that are undefined, and that expect a deadlock in a loop, of which DEADLOCKS is the number that
# may run; JOBS is the number of processes at a time, of those that should end. At a hardware barrier that nobody
# completes a GPU does not let its process go: such tests are not run.
# Ends with 0, 2 without the toolkit, 4 without a GPU, 5 where a process cannot be ended, 6 where compute-sanitizer
# refuses the device.
set -uo pipefail
out=$(realpath -m "${1:?sanitize.sh OUT [seconds]}")
total=${2:-420}
cd "$(dirname "$0")" || exit 2
mkdir -p "$out"
result=$out/sanitizer.txt
[ -f "$result" ] || ! [ -f sanitizer.txt ] || cp sanitizer.txt "$result"
for folder in /usr/local/cuda/bin /usr/local/cuda/extras/compute-sanitizer; do PATH=$PATH:$folder; done
for tool in nvcc ptxas compute-sanitizer; do
  command -v $tool > /dev/null || { echo "$tool is not on the PATH: the bundle needs the CUDA toolkit" >&2; exit 2; }
done
make -s -j"$(nproc)" launches || exit 2
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# One GPU is enough, and the others take time to start.
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0}
deadline=$((EPOCHSECONDS + total))

# How long a run may take, before it is ended from outside; a launch gives up before that, by --timeout. In seconds.
longest=20

# A process under a limit, its output in $log and its status in $status.
bounded() {
  log=$logs/$BASHPID
  timeout -k 2 $longest "$@" > "$log" 2>&1 < /dev/null &
  local pid=$! tenths=0
  while kill -0 $pid 2> /dev/null; do
    sleep 0.05
    tenths=$((tenths + 1))
    if [ $tenths -gt $(((longest + 10) * 20)) ]; then
      echo "### a process cannot be ended: $*" | tee -a "$result" >&2
      exit 255 # so that xargs begins no other
    fi
  done
  wait $pid
  status=$?
}

under() { # TOOL TIMEOUT TEST
  if [ "$1" = plain ]; then bounded ./launch --timeout "$2" launches.txt "$3"
  else bounded compute-sanitizer --tool "$1" --print-limit 20 ./launch --timeout "$2" launches.txt "$3"
  fi
}

record() { # TEST TOOL TIMEOUT
  grep -qF "=== $1 $2 status " "$result" && return
  if [ $((EPOCHSECONDS + longest)) -gt "$deadline" ]; then
    echo "$1 $2" >> "$logs/left"
    return
  fi
  local from=$EPOCHREALTIME
  under "$2" "$3" "$1"
  local seconds
  seconds=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
  {
    flock 9
    echo "=== $1 $2 status $status seconds $seconds"
    head -40 "$log"
    tail -n +41 "$log" | grep -E 'SUMMARY|^HUNG|^FAILED|^ENDED'
  } >> "$result" 9>> "$logs/lock"
}

# Lines "TEST TOOL TIMEOUT", so many at a time.
recordAll() {
  xargs -r -P "$1" -n 3 bash -c 'record "$@"' _
  ! grep -q '^### a process cannot be ended' "$result" || exit 5
}
export -f bounded under record
export result logs longest deadline

# The names of tests by how they may hang.
named() { awk -v hang="$1" '$1 == "test" { name = $2 } $1 == "hang" && $2 == hang { print name }' launches.txt; }

first=$(awk '$1 == "test" { name = $2 } $1 == "hang" && $2 == "none" { print name; exit }' launches.txt)
[ -n "$first" ] || first=$(awk '$1 == "test" { print $2; exit }' launches.txt)
under plain 10 "$first"
[ $status -ne 4 ] || { cat "$log" >&2; exit 4; }
under memcheck 15 "$first"
touch "$result"
machine="### $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -1);"
machine="$machine $(compute-sanitizer --version | grep -i version | tail -1); $(ptxas --version | tail -1)"
grep -qxF "$machine" "$result" || echo "$machine" >> "$result"
if ! grep -q 'ERROR SUMMARY' "$log"; then
  { echo "### compute-sanitizer refuses this device (status $status): nothing was run under it"; head -40 "$log"; } |
    tee -a "$result" >&2
  exit 6
fi
sed -i '/^### [0-9]* runs left out/d' "$result"
tools=${TOOLS:-plain racecheck memcheck synccheck initcheck}
for hang in ${HANGS:-none undefined spin}; do
  case $hang in
    none) for tool in $tools; do for test in $(named none); do echo "$test $tool 12"; done; done |
      recordAll "${JOBS:-4}" ;;
    undefined) for test in $(named undefined); do for tool in $tools; do echo "$test $tool 5"; done; done |
      recordAll 1 ;;
    spin) for test in $(named spin | head -n "${DEADLOCKS:-12}"); do
      for tool in $tools; do echo "$test $tool 4"; done
    done | recordAll 1 ;;
    *) echo "HANGS: no class $hang: expected none, undefined, spin" >&2; exit 2 ;;
  esac
done
for test in $(named barrier); do
  grep -qF "=== $test all not run" "$result" ||
    echo "=== $test all not run: a barrier that nobody completes" >> "$result"
done
left=$(cat "$logs/left" 2> /dev/null | wc -l)
[ "$left" -eq 0 ] || echo "### $left runs left out: $total seconds are over; run sanitize.sh again" | tee -a "$result" >&2
[ -f refused.txt ] && echo "ptxas refused $(wc -l < refused.txt) modules (refused.txt)" >&2
echo "$(grep -c '^=== ' "$result") entries in $result, after $SECONDS s"
exit 0
