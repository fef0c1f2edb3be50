#!/usr/bin/env bash
# Runs an application and records its launches: record.sh DIR [--contents N] [--ptx FOLDER]... -- application arguments
# Needs the CUDA toolkit (CUPTI, a C++ compiler, cuobjdump) and a GPU, no node. Ends as the application ends; what it
# says itself goes to standard error. DIR gets launches.jsonl, counts.bin, sequence.bin, images/, ptx/, summary.json.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "ptx-litmus record: $*" >&2; }
usage() {
  say "$1; expected: record.sh DIR [--contents BYTES] [--ptx FOLDER]... -- application arguments"
  exit 2
}

[ $# -gt 0 ] || usage "no folder is named"
folder=$1; shift
contents=0; beside=()
while [ $# -gt 0 ]; do
  case $1 in
    --contents) [[ ${2:-} =~ ^[0-9]+$ ]] || usage "--contents takes a number of bytes"; contents=$2; shift 2 ;;
    --ptx)
      [ -d "${2:-}" ] || usage "--ptx takes a folder, and \"${2:-}\" is none"
      beside+=("$(cd "$2" && pwd)")
      shift 2 ;;
    --) shift; break ;;
    *) usage "found \"$1\"" ;;
  esac
done
[ $# -gt 0 ] || usage "no application is named behind --"
[ -e "$folder/launches.jsonl" ] && { say "$folder holds a recording already: name another folder"; exit 2; }
mkdir -p "$folder/ptx" "$folder/images" && folder=$(cd "$folder" && pwd) || { say "$folder cannot be made"; exit 2; }

# ---- The toolkit, wherever it lies.
compiler=$(command -v nvcc || true)
[ -n "$compiler" ] && compiler=$(dirname "$(dirname "$(readlink -f "$compiler")")")
# Packages of Python may bring it too.
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2> /dev/null || true)
header=; library=
for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$compiler" /usr/local/cuda /usr/local/cuda-* "$packages"/nvidia/*; do
  [ -n "$root" ] || continue
  for at in "$root" "$root/extras/CUPTI" "$root/targets/$(uname -m)-linux"; do
    [ -z "$header" ] && [ -e "$at/include/cupti.h" ] && header=$at/include
    for lib in lib64 lib; do
      [ -n "$library" ] || for one in "$at/$lib"/libcupti.so "$at/$lib"/libcupti.so.*; do
        [ -e "$one" ] && { library=$one; break; }
      done
    done
  done
  [ -n "$header" ] && [ -n "$library" ] && { toolkit=$root; break; }
  header=; library=
done
[ -n "$library" ] || {
  say "there is no CUPTI here: looked for cupti.h and libcupti.so in \$CUDA_HOME, beside nvcc, in /usr/local/cuda*;" \
    "install the CUDA toolkit, or name it by CUDA_HOME"
  exit 4
}
cxx=${CXX:-$(command -v g++ || command -v c++ || command -v clang++ || true)}
[ -n "$cxx" ] || { say "there is no C++ compiler here: install g++, or name one by CXX"; exit 4; }
built=$folder/recorder/librecorder.so
mkdir -p "$folder/recorder"
[ -z "$(find "$here" -name '*.cpp' -newer "$built" -o -name '*.h' -newer "$built" 2>&1)" ] ||
  "$cxx" -std=c++17 -O2 -shared -fPIC -fvisibility=hidden -static-libstdc++ -static-libgcc "-I$header" \
  "-I$toolkit/include" ${compiler:+"-I$compiler/include"} "$here/recorder.cpp" -o "$built" "$library" \
  -Wl,--exclude-libs,ALL "-Wl,-rpath,$(dirname "$library")" -ldl -lpthread || {
  say "the recorder cannot be built with $cxx: see above"
  exit 4
}
[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || nvidia-smi -L > /dev/null 2>&1 || {
  say "there is no GPU here: the recorder is built, and nothing is run"
  exit 4
}

# ---- The application, as it would run without us.
cache=${TRITON_CACHE_DIR:-$folder/triton}
trap : INT
began=$(date +%s%N)
CUDA_INJECTION64_PATH=$built PTX_LITMUS_RECORD=$folder PTX_LITMUS_CONTENTS=$contents TRITON_CACHE_DIR=$cache "$@"
status=$?
milliseconds=$((($(date +%s%N) - began) / 1000000))
trap - INT
signal=
[ $status -gt 128 ] && signal=$(kill -l $((status - 128)) 2> /dev/null || true)
if [ -n "$signal" ]; then
  say "the application crashed: it was ended by signal $signal; what it launched before is recorded"
elif [ $status -ne 0 ]; then say "the application ended with exit status $status"; fi
[ -e "$folder/launches.jsonl" ] || say "nothing was recorded: the application has not come to the driver (cuInit)"

# ---- PTX out of what the driver was given.
dump=$(command -v cuobjdump || { [ -x "$toolkit/bin/cuobjdump" ] && echo "$toolkit/bin/cuobjdump"; } || true)
[ -n "$dump" ] || say "there is no cuobjdump here: PTX inside of images stays there"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# extracted IMAGE: the modules in it, into $work/out. A fat binary may have to stand in an object file.
extracted() {
  rm -rf "$work/out"; mkdir -p "$work/out"
  (cd "$work/out" && timeout 120 "$dump" -xptx all "$1" > /dev/null 2>&1)
  [ -n "$(ls -A "$work/out")" ] && return
  case $1 in *.fatbin) ;; *) return ;; esac
  printf '.section .nv_fatbin,"a"\n.balign 8\n.incbin "%s"\n' "$1" > "$work/object.s"
  "$cxx" -c "$work/object.s" -o "$work/object.o" 2> /dev/null &&
    (cd "$work/out" && timeout 120 "$dump" -xptx all "$work/object.o" > /dev/null 2>&1)
}

# architecture FILE: of a module, as 90a; of those that this GPU can run the newest is taken.
architecture() { sed -n 's/^\.target[[:space:]]*\(sm\|compute\)_\([0-9]*[a-z]*\).*/\2/p' "$1" | head -n 1; }

capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1 | tr -d .)
[[ $capability =~ ^[0-9]+$ ]] || capability=
# runs ARCHITECTURE: whether the GPU can; 90a is for 90 alone, 100f for 100 to 109.
runs() {
  local number=${1%%[a-z]*}
  [ -z "$capability" ] && return
  case $1 in
    *a) [ "$number" -eq "$capability" ] ;;
    *f) [ "$number" -le "$capability" ] && [ $((number / 10)) -eq $((capability / 10)) ] ;;
    *) [ "${number:-0}" -le "$capability" ] ;;
  esac
}
newestOf() { while read -r one; do [ $# -gt 0 ] && ! "$@" "$one" || echo "$one"; done | sort -V | tail -n 1; }

# take FOLDER ID FILE HOW
take() {
  local name=$2 n=2
  while [ -e "$1/ptx/$name.ptx" ]; do cmp -s "$3" "$1/ptx/$name.ptx" && return; name=$2-$n; n=$((n + 1)); done
  cp "$3" "$1/ptx/$name.ptx" && printf '%s\t%s\n' "$name" "$4" >> "$1/ptx/found.tsv"
}

kept=0; withPtx=0
for one in "$folder" "$folder"/process-*; do
  [ -d "$one/images" ] || continue
  mkdir -p "$one/ptx"
  for image in "$one"/images/*; do
    [ -e "$image" ] || continue
    kept=$((kept + 1))
    id=$(basename "$image"); id=${id%.*}
    case $image in
      *.ptx) take "$one" "$id" "$image" "given as text" ;;
      *)
        if [ -n "$dump" ]; then
          extracted "$image"
          all=$(for file in "$work"/out/*.ptx; do [ -e "$file" ] && architecture "$file"; done)
          newest=$(newestOf runs <<< "$all"); how=
          [ -n "$newest" ] || { newest=$(newestOf <<< "$all"); how=", which is not for this GPU"; }
          for file in "$work"/out/*.ptx; do
            [ -e "$file" ] && [ "$(architecture "$file")" = "$newest" ] || continue
            take "$one" "$id" "$file" "in the image, sm_$newest$how"
          done
        fi
        if [ ! -e "$one/ptx/$id.ptx" ]; then
          # The bytes behind the last section of a file are none of the image.
          bytes=$(stat -c %s "$image")
          while IFS= read -r -d '' same; do
            [ -e "${same%.cubin}.ptx" ] && [ "$(stat -c %s "$same")" -lt $((bytes + 4096)) ] || continue
            cmp -s -n "$bytes" "$same" "$image" || continue
            take "$one" "$id" "${same%.cubin}.ptx" "beside $same"
            break
          done < <(find "$cache" "${beside[@]}" -name '*.cubin' -size "+$((bytes - 1))c" -print0 2> /dev/null)
        fi ;;
    esac
    [ -e "$one/ptx/$id.ptx" ] && withPtx=$((withPtx + 1))
  done
done

# ---- The summary.
json() {
  local text=$1 code letter
  text=${text//\\/\\\\}; text=${text//\"/\\\"}
  for code in {1..31}; do
    printf -v code %02x "$code"
    printf -v letter '%b' "\\x$code"
    text=${text//"$letter"/\\u00$code}
  done
  printf '"%s"' "$text"
}
command=; for word in "$@"; do command+=${command:+,}$(json "$word"); done
processes=("$folder"/process-*/launches.jsonl)
others=0; for one in "${processes[@]}"; do [ -e "$one" ] && others=$((others + 1)); done
card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1)
{
  printf '{"version":1,"command":[%s],"status":%d,"signal":%s,"milliseconds":%d,"contents":%d,' \
    "$command" "$status" "$([ -n "$signal" ] && json "$signal" || echo null)" "$milliseconds" "$contents"
  printf '"processes":%d,"images":%d,"imagesWithPtx":%d,"cuobjdump":%s,"gpu":%s,"toolkit":%s}\n' \
    $((others + 1)) "$kept" "$withPtx" "$([ -n "$dump" ] && echo true || echo false)" "$(json "$card")" \
    "$(json "$toolkit")"
} > "$folder/summary.json"
[ -e "$folder/launches.jsonl" ] || exit $status
lines=$(grep -c '"kind":"launch"' "$folder/launches.jsonl" 2> /dev/null || true)
say "${lines:-0} distinct launches, $withPtx of $kept images with PTX, in $folder;" \
  "ptx-litmus record --from $folder goes on"
exit $status
