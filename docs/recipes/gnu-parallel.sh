#!/usr/bin/env bash
# A suite in shards, by GNU parallel: on the cores of this machine, or with --sshlogin on those of several that share
# this folder. A shard that fails is run again; one that fails twice is named by `merge`.
#
#   gnu-parallel.sh TESTS [FOLDER FOR THE LOGS] [NUMBER OF SHARDS]
set -euo pipefail
tests=$1 logs=${2:-shards} shards=${3:-8}
export PTX_LITMUS=${PTX_LITMUS:-npx ptx-litmus}

# What a shard finds is told by `merge`; only a run that did not end has failed.
shard() {
  $PTX_LITMUS check "$1" --jobs 1 --shard "$2/$3" --quiet --reporter text --reporter ndjson="$4/$2.ndjson" || [ $? -le 4 ]
}
export -f shard

mkdir -p "$logs"
parallel --retries 2 --halt never shard "$tests" {} "$shards" "$logs" ::: $(seq "$shards") > /dev/null || true
exec $PTX_LITMUS merge "$logs"/*.ndjson
