#!/usr/bin/env bash
# Tests a checkout, in which `npm ci` ran, on one platform of platforms.json. As root.
#
#   scripts/platform-tests.sh NODE [COMMAND…]      default: npm test; in a root npm run test:only -- --of-platform:
#                                                  what a release of Node or the system around it can break
#
# PARLEY_TEST_SHARE=all takes every test, in a root as well; else the platforms of a landing divide the dearest among
# them, each by its own third (test/shares.ts).
#
# Where this machine is the platform, the command runs here. Else it runs in a bare Debian system with that Node, which
# sees the checkout under another path: nothing is compiled at install, so one installation serves every platform.
# ROOTS is a folder that keeps these systems, which take two minutes and 2.4 GB to make; default: none is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
major=$1
shift
read -r suite redis < <(node -p '
  const { suite, redis } = require("./scripts/platforms.json").find(({ node }) => parseInt(node) === Number(process.argv[1]));
  `${suite} ${redis}`' "$major")
variables=()
[ "$redis" != text ] || variables+=(PARLEY_TEST_REDIS_FORMAT=text)

if [ "$major $suite" = "$(node -p 'parseInt(process.versions.node)') $(. /etc/os-release && echo "${VERSION_CODENAME:-}")" ]; then
  [ $# -gt 0 ] || set -- npm test
  scripts/test-servers.sh
  exec env "${variables[@]}" "$@"
fi

if [ $# -eq 0 ]; then
  share=${PARLEY_TEST_SHARE:-$((16#$(git rev-parse 'HEAD^{tree}' | cut -c1-7)))}
  variables+=("PARLEY_TEST_SHARE=$share")
  set -- npm run test:only
  [ "$share" = all ] || set -- "$@" -- --of-platform
fi
if [ -z "${ROOTS:-}" ]; then
  ROOTS=$(mktemp -d)
  trap 'rm -rf "$ROOTS"' EXIT
fi
export ROOTS
root=$ROOTS/tests-$suite
if [ ! -d "$root" ]; then
  # What is not complete has another name.
  rm -rf "$root.draft"
  scripts/debian-root.sh make "$suite" "$root.draft"
  scripts/debian-root.sh run --bind="$PWD:/srv/parley" "$root.draft" /srv/parley/scripts/test-servers.sh
  mv "$root.draft" "$root"
fi
scripts/debian-root.sh node "$major" "$root"
# The first process of the root waits for those whose parents ended.
scripts/debian-root.sh run --bind="$PWD:/srv/parley" --chdir=/srv/parley "$root" "${variables[@]}" \
  bash -c '"$@"; exit $?' bash "$@"
