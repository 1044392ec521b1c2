#!/usr/bin/env bash
# The one place that makes bare Debian systems, each in a folder, and runs commands in them. As root, with npm and network.
#
#   scripts/debian-root.sh make SUITE FOLDER          Debian of a suite: its essential packages alone
#   scripts/debian-root.sh node MAJOR FOLDER          the newest Node of a release, and the npm that it brings
#   scripts/debian-root.sh run [--user=UID:GID] [--chdir=PATH] [--bind=FROM:TO] [--beside=PID] FOLDER \
#                                 [NAME=VALUE…] COMMAND…
#
# Mirror, registry, names and certificates are those of this machine: no host is named. ROOTS is a folder that keeps
# what was made, so that the second system of a suite is a copy of the first.
#
# What runs has processes and mounts of its own: nothing of them is left when its first process ends, or this one is
# killed. With --beside, the command runs among the processes of that one.
set -euo pipefail

CERTIFICATES=/etc/ssl/certs/ca-certificates.crt

# Where this machine, which is a Debian too, has its packages from.
mirror() {
  local suite targets
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  targets=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $suite")
  [ -n "$targets" ] || { echo "apt of this machine has no mirror of Debian" >&2; return 1; }
  head -1 <<<"$targets"
}

bootstrap() {
  local suite=$1 root=$2 log
  log=$(mktemp)
  {
    apt-get update -qq
    command -v debootstrap >/dev/null ||
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap
    # What is not complete has another name.
    rm -rf "$root.draft"
    mkdir -p "$(dirname "$root")"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root.draft" "$(mirror)"
    apt-config dump | grep -E '^Acquire::(Check-|Retries|https?)' >"$root.draft/etc/apt/apt.conf.d/90machine" || true
    # No package starts its service.
    printf '#!/bin/sh\nexit 101\n' >"$root.draft/usr/sbin/policy-rc.d"
    chmod 755 "$root.draft/usr/sbin/policy-rc.d"
    mv "$root.draft" "$root"
  } >"$log" 2>&1 || { tail -20 "$log" >&2; return 1; }
  rm -f "$log"
}

make() {
  local suite=$1 root=$2
  if [ -z "${ROOTS:-}" ]; then
    bootstrap "$suite" "$root"
  else
    [ -d "$ROOTS/bare-$suite" ] || bootstrap "$suite" "$ROOTS/bare-$suite"
    cp -a "$ROOTS/bare-$suite" "$root"
  fi
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  [ ! -f $CERTIFICATES ] || cp -L $CERTIFICATES "$root$CERTIFICATES"
}

node() {
  local major=$1 root=$2 npm=10 archives name
  local modules=$root/usr/local/lib/node_modules/npm
  [ "$major" -lt 24 ] || npm=11
  archives=$(mktemp -d)
  (cd "$archives" && npm pack --silent "node-linux-$(command node -p process.arch)@$major" "npm@$npm" >/dev/null)
  rm -rf "$modules"
  mkdir -p "$modules"
  tar xzf "$archives"/node-linux-*.tgz -C "$root/usr/local" --strip-components=1 --no-same-owner package/bin/node
  tar xzf "$archives"/npm-*.tgz -C "$modules" --strip-components=1 --no-same-owner
  rm -rf "$archives"
  chmod +x "$modules"/bin/*-cli.js
  for name in npm npx; do ln -sf "../lib/node_modules/npm/bin/$name-cli.js" "$root/usr/local/bin/$name"; done
}

run() {
  local user=0:0 folder=/ bind= beside= root name environment
  while [[ $1 = --* ]]; do
    case $1 in
      --user=*) user=${1#*=} ;;
      --chdir=*) folder=${1#*=} ;;
      --bind=*) bind=${1#*=} ;;
      --beside=*) beside=${1#*=} ;;
      *) echo "unknown: $1" >&2; return 2 ;;
    esac
    shift
  done
  root=$1
  shift
  environment=(
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
    "npm_config_registry=${npm_config_registry:-$(npm config get registry)}" NODE_EXTRA_CA_CERTS=$CERTIFICATES
  )
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
  done
  set -- /usr/bin/env -i "--chdir=$folder" "${environment[@]}" "$@"
  if [ -n "$beside" ]; then exec nsenter --target "$beside" --mount --pid --root chroot "--userspec=$user" / "$@"; fi
  exec unshare --mount --pid --fork --kill-child bash -c '
    set -e
    root=$0 bind=$1
    shift
    # So that the root is a mount point, as "/" is anywhere.
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    if [ -n "$bind" ]; then
      mkdir -p "$root${bind#*:}"
      mount --bind "${bind%%:*}" "$root${bind#*:}"
    fi
    exec chroot "$@"' "$root" "$bind" "--userspec=$user" "$root" "$@"
}

"$@"
