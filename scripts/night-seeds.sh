#!/usr/bin/env bash
# Simulates fresh seeds in which one part of each machine fails: what the system tells of itself (figures), its disk and
# files, or its clocks. Each night another one, by the day; or the one that is named.
#
#   scripts/night-seeds.sh [MINUTES] [figures|files|clock]
set -euo pipefail
cd "$(dirname "$0")/.."
parts=(figures files clock)
part=${2:-${parts[$(($(date +%s) / 86400 % 3))]}}
# Beside it, what makes nodes change what they do.
case $part in
  figures) plan='{"untold":true,"faults":["crash","stop","power","cut-store","disk-full"],"faultEveryMs":800}' ;;
  files) plan='{"files":true,"faults":["files-fail","disk-full","files-fail","disk-slow","files-fail","power","crash"],"faultEveryMs":800}' ;;
  clock) plan='{"planners":false,"lookMs":3,"faults":["clock","sleep","pause","clock","sleep","cut-store"],"faultEveryMs":800}' ;;
  *) echo "There is no part $part: figures, files or clock" >&2 && exit 2 ;;
esac
echo "Tonight: $part"
exec npm run --silent simulate -- --minutes "${1:-480}" --keep-going --plan "$plan"
