#!/usr/bin/env bash
# Tries the README's two commands where nothing is installed: bare Debian systems without a compiler, each with one
# release of Node.
#
#   scripts/bare-roots.sh [SUITE:NODE…]     default: the platforms of platforms.json; the newest Node on the oldest
#                                           Debian, which must be refused with the Node that fits
#   TESTS=all scripts/bare-roots.sh …       the whole `npm test` instead of a quick choice of its files
#
# The archive is tried by archive-root.js. As root, with npm and network (debian-root.sh). Prints one line per step; ends with 1 where a step fails or the first
# event took more than 60 s.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
scripts=$repository/scripts
work=${WORK:-$(mktemp -d)}
export ROOTS=${ROOTS:-$work/roots}
# Seconds from the start of `npm ci` to the first event, at most.
limit=60
failed=0

# The platforms as SUITE:NODE, oldest first.
mapfile -t platforms < <(node -p '
  require(process.argv[1]).map(({ suite, node }) => `${suite}:${parseInt(node)}`).join("\n")' "$scripts/platforms.json")
# What fits the oldest Debian.
fitting=${platforms[0]#*:}

say() { echo "$(date +%T) $*"; }

# Runs inside the root. $1: run, refuse; $2: all, quick; $3: the Node that fits where it is refused.
cat >"$work/inside.sh" <<'SCRIPT'
set -euo pipefail
cd /srv/parley
for tool in cc gcc c++ make python3; do ! command -v $tool >/dev/null || { echo "there is $tool"; exit 1; }; done
now() { date +%s%N; }
since() { awk "BEGIN { printf \"%.1f\", ($(now) - $1) / 1e9 }"; }
serve() {
  : >/tmp/out
  npm start -- --port 0 --log warn >/tmp/out 2>&1 &
  server=$!
  while ! grep -q 'is listening on' /tmp/out; do
    kill -0 $server 2>/dev/null || return 1
    sleep 0.05
  done
}
stop() {
  kill -TERM $server
  wait $server
  ! grep -l '[s]cripts/start.js' /proc/[0-9]*/cmdline 2>/dev/null | grep -q . || { echo 'a server is left'; exit 1; }
}
echo "Node $(node --version), npm $(npm --version), glibc $(ldd --version | sed -nE '1s/.* //p')"
began=$(now)
TIMEFORMAT='%U %S'
cpu=$( { time npm ci >/tmp/ci 2>&1; } 2>&1 ) || { cat /tmp/ci; exit 1; }
echo "npm ci: $(since $began) s (processor: user and system $cpu s)"
if [ "$1" = refuse ]; then
  if serve; then echo 'it was not refused'; exit 1; fi
  grep '^Cannot start: ' /tmp/out
  grep -q "fits Node $3\." /tmp/out
  exit 0
fi
started=$(now)
serve || { cat /tmp/out; exit 1; }
echo "npm start, the first: ready after $(since $started) s ($(grep -o 'Compiled in .*' /tmp/out))"
sleep 0.2
url=$(sed -nE 's/^Parley is listening on //p' /tmp/out)
password=$(sed -nE 's/^ +password: +([^ ]+) .*/\1/p' /tmp/out)
node /tmp/first-event.js "$url" "$password"
first=$(since $began)
echo "first event: $first s after the start of npm ci"
stop
started=$(now)
serve || { cat /tmp/out; exit 1; }
echo "npm start, the second: ready after $(since $started) s"
stop
if [ "$2" = all ]; then
  npm test >/tmp/test 2>&1 || { grep -A20 'not ok' /tmp/test | head -100; exit 1; }
  echo "npm test: $(grep -E '^# \{ total: ' /tmp/test | tail -1)"
else
  node scripts/build.js all
  # One for each compiled part: passwords, embedded store, pictures, HTTP, and the whole program.
  for file in native-binaries src/services/auth/passwords src/store/embedded src/resources/realm/custom-emoji src/http/server system/operation/boot; do
    TAP_TIMEOUT=400 node dist/test/$file.test.js >/tmp/test 2>&1 || { cat /tmp/test; exit 1; }
    echo "test/$file: $(grep -E '^# \{ total: ' /tmp/test)"
  done
fi
echo "$first" >/tmp/first
SCRIPT

trial() {
  local suite=$1 major=$2 what=$3
  local root=$work/$suite-$major
  say "== $suite, Node $major: $what"
  rm -rf "$root"
  "$scripts/debian-root.sh" make "$suite" "$root"
  "$scripts/debian-root.sh" node "$major" "$root"
  mkdir -p "$root/srv/parley"
  git -C "$repository" archive HEAD | tar x -C "$root/srv/parley"
  cp "$scripts/first-event.js" "$work/inside.sh" "$root/tmp/"
  if ! "$scripts/debian-root.sh" run "$root" CC=/bin/false bash /tmp/inside.sh "$what" "${TESTS:-quick}" "$fitting"; then
    say "FAILED: $suite, Node $major"
    failed=1
  elif [ "$what" != refuse ] && awk "BEGIN { exit !($(cat "$root/tmp/first") > $limit) }"; then
    say "TOO SLOW: the first event came after more than $limit s"
    failed=1
  fi
  rm -rf "$root"
}

[ $# -gt 0 ] || set -- "${platforms[@]}" "${platforms[0]%:*}:${platforms[-1]#*:}"
for one in "$@"; do
  IFS=: read -r suite major <<<"$one"
  what=run
  [[ " ${platforms[*]} " = *" $suite:$major "* ]] || what=refuse
  trial "$suite" "$major" "$what"
done
exit $failed
