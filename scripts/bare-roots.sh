#!/usr/bin/env bash
# Tries the README's two commands where nothing is installed: bare Debian systems without a compiler, each
# with one release of Node from npm's `node` packages.
#
#   scripts/bare-roots.sh [SUITE:NODE…]     default: bookworm:20 trixie:22 trixie:24, and bookworm:22,
#                                           which must be refused with the Node that fits
#   scripts/bare-roots.sh trixie:24:package the archive of `npm run package` instead of the sources, up to a first backup
#   TESTS=all scripts/bare-roots.sh …       the whole `npm test` instead of a quick choice of its files
#
# Needs root, debootstrap, npm and network. Mirror, registry and certificates are those of this machine.
# Prints one line per step; ends with 1 where a step fails or the first event took more than 60 s.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
work=${WORK:-$(mktemp -d)}
# Seconds from the start of `npm ci` to the first event, at most.
limit=60
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | sort -u | head -1)}
registry=$(npm config get registry 2>/dev/null)
architecture=$(node -p process.arch)
failed=0

say() { echo "$(date +%T) $*"; }

# Runs inside the root. $1: run, refuse, package; $2: all, quick.
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
if [ "$1" = package ]; then
  rm -rf /srv/parley && mkdir /srv/parley && cd /srv/parley
  npm install --ignore-scripts /tmp/parley-*.tgz >/tmp/install 2>&1 || { cat /tmp/install; exit 1; }
  echo "npm install of the archive: $(since $began) s"
  npx parley serve --port 19991 --log warn >/tmp/out 2>&1 &
  while ! grep -q 'is listening on' /tmp/out; do sleep 0.05; done
  sleep 0.2
  password=$(sed -nE 's/^ +password: +([^ ]+) .*/\1/p' /tmp/out)
  node /tmp/first-event.js http://127.0.0.1:19991 "$password"
  echo "first event: $(since $began) s after the start of npm install"
  npx parley export first.jsonl 2>/dev/null
  since $began >/tmp/first
  echo "first backup: $(cat /tmp/first) s, $(wc -l <first.jsonl) lines"
  node node_modules/parley/scripts/prune-modules.js
  exit 0
fi
TIMEFORMAT='%U %S'
cpu=$( { time npm ci >/tmp/ci 2>&1; } 2>&1 ) || { cat /tmp/ci; exit 1; }
echo "npm ci: $(since $began) s (processor: user and system $cpu s)"
if [ "$1" = refuse ]; then
  if serve; then echo 'it was not refused'; exit 1; fi
  grep '^Cannot start: ' /tmp/out
  grep -q 'fits Node 20\.' /tmp/out
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

# Makes the bare system of a suite once; each trial works on a copy.
base() {
  local root=$work/base-$1
  [ -d "$root" ] || debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$mirror" >"$work/debootstrap-$1.log" 2>&1
}

trial() {
  local suite=$1 major=$2 what=$3
  local root=$work/$suite-$major
  say "== $suite, Node $major: $what"
  base "$suite"
  rm -rf "$root"
  cp -a "$work/base-$suite" "$root"
  # Node alone, and the npm that its releases bring.
  local npm=10
  [ "$major" -lt 24 ] || npm=11
  mkdir -p "$root/usr/local/lib/node_modules/npm" "$root/srv/parley"
  (cd "$work" && npm pack --silent "node-linux-$architecture@$major" "npm@$npm" >/dev/null)
  tar xzf "$(ls -t "$work/node-linux-$architecture-$major".*.tgz | head -1)" -C "$root/usr/local" --strip-components=1 package/bin/node
  tar xzf "$(ls -t "$work/npm-$npm".*.tgz | head -1)" -C "$root/usr/local/lib/node_modules/npm" --strip-components=1
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  chmod +x "$root/usr/local/lib/node_modules/npm/bin/"*-cli.js
  git -C "$repository" archive HEAD | tar x -C "$root/srv/parley"
  cp "$repository/scripts/first-event.js" "$root/tmp/"
  [ "$what" != package ] || node "$repository/scripts/package.js" "$root/tmp"
  cp "$work/inside.sh" "$root/tmp/"
  cp /etc/resolv.conf "$root/etc/"
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  if ! unshare --mount --pid --fork bash -c '
      mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" &&
      exec chroot "$0" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root npm_config_registry="$1" \
        NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt CC=/bin/false bash /tmp/inside.sh "$2" "$3"' \
    "$root" "$registry" "$what" "${TESTS:-quick}"; then
    say "FAILED: $suite, Node $major"
    failed=1
  elif [ "$what" != refuse ] && awk "BEGIN { exit !($(cat "$root/tmp/first") > $limit) }"; then
    say "TOO SLOW: the first event came after more than $limit s"
    failed=1
  fi
  rm -rf "$root"
}

for pair in "${@:-bookworm:20 trixie:22 trixie:24 bookworm:22}"; do
  for one in $pair; do
    IFS=: read -r suite major what <<<"$one"
    what=${what:-run}
    # uWebSockets.js needs glibc 2.38 there, and Debian 12 has 2.36.
    [ "$suite" != bookworm ] || [ "$major" = 20 ] || what=refuse
    trial "$suite" "$major" "$what"
  done
done
exit $failed
