#!/usr/bin/env bash
# Installs the programs that tests start or ask, on Debian, as root; those that are there already it leaves alone.
# Each test starts servers of its own, on free ports.
set -euo pipefail
# systemd checks the unit, prometheus has promtool, e2fsprogs makes file systems without room, and the C compiler makes
# the module with the JSON commands.
packages=(
  redis-server slapd nginx haproxy caddy
  openssl curl python3 zsh fish systemd prometheus chromium
  gcc libc6-dev e2fsprogs
)
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
log=$(mktemp)
{
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
} >"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }
for service in redis-server slapd nginx haproxy caddy prometheus; do
  [[ " ${missing[*]} " != *" $service "* ]] || service "$service" stop >/dev/null 2>&1 || true
done
