#!/usr/bin/env bash
# Records the applications of this folder on a machine with a GPU: run-apps.sh OUT [BUNDLE]
# BUNDLE: a folder that `ptx-litmus export` has written, recorded too. OUT gets recorded.tar.gz, a folder of raw files
# for each application; times.tsv, how long each took without and with the recorder; report.txt, what was found.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
recorder=$here/../../src/record/recorder
[ $# -gt 0 ] || { echo "name a folder for the results: run-apps.sh OUT [BUNDLE]" >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 2
bundle=${2:+$(cd "$2" && pwd)}
work=$(mktemp -d)
RUNS=${RUNS:-3}
# Which of them.
APPS=" ${APPS:-runtime crash triton bundle launch} "
wanted() { [[ $APPS == *" $1 "* ]]; }
# In seconds, for each command; where PTX is taken out of images too, more.
LIMIT=60
exec > >(tee "$out/report.txt") 2>&1
printf 'application\tmode\trun\tmilliseconds\tstatus\n' > "$out/times.tsv"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

build() {
  timeout $LIMIT nvcc -std=c++17 -arch=sm_90a -lineinfo -o "$work/$1" "$here/apps/$1.cu" || echo "$1 cannot be built"
}
build runtime & first=$!
build crash & second=$!
if [ -n "$bundle" ]; then
  cp -r "$bundle" "$work/bundle"
  (cd "$work/bundle" && timeout $LIMIT make -s -j"$(nproc)" all) || echo "the bundle cannot be built"
fi
wait "$first" "$second"

# timed NAME MODE RUN COMMAND...: its time and status into times.tsv, what it prints into files.
timed() {
  local name=$1 mode=$2 run=$3 began status
  shift 3
  began=$(date +%s%N)
  timeout $LIMIT "$@" > "$work/$name.$mode.$run.out" 2> "$work/$name.$mode.$run.err"
  status=$?
  printf '%s\t%s\t%d\t%d\t%d\n' "$name" "$mode" "$run" $((($(date +%s%N) - began) / 1000000)) $status \
    >> "$out/times.tsv"
}

# application NAME OPTIONS -- COMMAND...: without the recorder, with it, and once more for what is kept.
application() {
  local name=$1 options=() run folder=$work/recorded/$1
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  for run in $(seq "$RUNS"); do timed "$name" plain "$run" "$@"; done
  # The first one builds the recorder; the time of the application alone is in its summary.json.
  mkdir -p "$folder/recorder"
  [ -e "$work/librecorder.so" ] && cp "$work/librecorder.so" "$folder/recorder/"
  LIMIT=120 timed "$name" kept 0 bash "$recorder/record.sh" "$folder" "${options[@]}" -- "$@"
  [ -e "$work/librecorder.so" ] || cp "$folder/recorder/librecorder.so" "$work/"
  for run in $(seq "$RUNS"); do
    timed "$name" recorded "$run" env "CUDA_INJECTION64_PATH=$work/librecorder.so" \
      "PTX_LITMUS_RECORD=$work/again.$name.$run" "$@"
  done
  for run in 0 $(seq "$RUNS"); do
    local mode=recorded
    [ "$run" = 0 ] && mode=kept
    # What a litmus test has shown is another thing each time.
    [ "$name" = bundle ] && continue
    if cmp -s "$work/$name.plain.1.out" "$work/$name.$mode.$run.out"; then echo "$name, $mode $run: the same output"
    else echo "$name, $mode $run: ANOTHER OUTPUT"; diff "$work/$name.plain.1.out" "$work/$name.$mode.$run.out" | head -5
    fi
  done
  echo "$name without the recorder: $(tail -n 1 "$work/$name.plain.1.err")"
  [ "$RUNS" -gt 0 ] && echo "$name with it: $(tail -n 1 "$work/$name.recorded.1.err")"
  tail -n 3 "$work/$name.kept.0.err"
  [ -e "$folder/launches.jsonl" ] &&
    echo "$name: $(grep -c '"kind":"launch"' "$folder/launches.jsonl") distinct launches," \
    "$(ls "$folder/images" | wc -l) images, $(ls "$folder/ptx" | grep -c '\.ptx$') modules"
  grep -h -E '"kind":"(problem|image)"' "$folder/launches.jsonl" 2> /dev/null | cut -c 1-200 | head -n 12
  head -n 5 "$folder/ptx/found.tsv" 2> /dev/null
}

export CUDA_MODULE_LOADING=LAZY
wanted runtime && [ -x "$work/runtime" ] && application runtime --contents 64 -- "$work/runtime"
wanted crash && [ -x "$work/crash" ] && application crash -- "$work/crash"
if ! wanted triton; then :
elif python3 -c 'import torch, triton' 2> /dev/null; then
  # One cache for all runs, filled before any is timed.
  export TRITON_CACHE_DIR=$work/triton
  timed triton warm 0 python3 "$here/apps/triton_app.py"
  application triton -- python3 "$here/apps/triton_app.py"
else echo "there is no PyTorch with Triton here"
fi
if [ -x "$work/bundle/run" ]; then
  cd "$work/bundle" || exit 1
  RUNS=1
  wanted bundle &&
    application bundle --ptx "$work/bundle/tests" -- ./run --seconds 0.001 --search 1 --limit 6 manifest.txt
  # Kernel tests of the bundle, by the program that launches them: some that are right, and some that are not.
  for name in blockreduce blockreduce-broken cluster cluster-reuse-broken gridsync gridsync-broken lookback tmatensor \
    triggers-one triggers-broken; do
    wanted launch && grep -q "^test $name\$" launches.txt 2> /dev/null && [ -x launch ] &&
      application "launch-$name" --contents 1024 --ptx "$work/bundle/launches" -- ./launch launches.txt "$name"
  done
fi

# ---- What is packed: not the recorder, nor images that modules were found for, nor large ones; told in summary.json.
cd "$work/recorded" || exit 1
rm -rf ./*/recorder ./*/triton
declare -A gone
leave() { gone[${1%%/*}]+=${gone[${1%%/*}]:+,}\"${1#*/}\"; rm -f "$1"; }
for image in */images/* */process-*/images/*; do
  [ -e "$image" ] || continue
  id=$(basename "$image"); id=${id%.*}
  if [ -e "$(dirname "$image")/../ptx/$id.ptx" ] || [ "$(stat -c %s "$image")" -gt 262144 ]; then leave "$image"; fi
done
for round in $(seq 20); do
  tar -czf "$out/recorded.tar.gz" ./*
  [ "$(stat -c %s "$out/recorded.tar.gz")" -lt $((15 << 20)) ] && break
  largest=$(find . -type f -printf '%s %P\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
  echo "round $round: $largest is not packed"
  leave "$largest"
done
for folder in *; do
  [ -e "$folder/summary.json" ] && sed -i "\$ s|}\$|,\"notPacked\":[${gone[$folder]:-}]}|" "$folder/summary.json"
done
tar -czf "$out/recorded.tar.gz" ./*
ls -la "$out"
cat "$out/times.tsv"
rm -rf "$work"
