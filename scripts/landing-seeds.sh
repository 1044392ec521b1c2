#!/usr/bin/env bash
# Simulates every kind of run once, and goes on for two minutes, as a landing does: from a seed on that the state of the
# sources gives, which no other state has had, so that whoever looks into a failure gets it again. With MINUTES, for so long.
set -euo pipefail
cd "$(dirname "$0")/.."
exec npm run --silent simulate -- --mix --minutes "${1:-2}" --cores 1 --seed "$((16#$(git rev-parse 'HEAD^{tree}' | cut -c1-7)))"
