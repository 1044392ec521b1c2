#!/usr/bin/env bash
# Simulates seeds for two minutes, as a landing does, from one on that the state of the sources gives: no other state
# has had it, and whoever looks into a failure gets it again. With MINUTES, for so long.
set -euo pipefail
cd "$(dirname "$0")/.."
exec npm run --silent simulate -- --minutes "${1:-2}" --cores 1 --seed "$((16#$(git rev-parse 'HEAD^{tree}' | cut -c1-7)))"
