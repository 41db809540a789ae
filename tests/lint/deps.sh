#!/bin/sh
# Name the packages that are missing and install them, or refuse clearly.
# usage: deps.sh PKGCONFIG-NAME...
set -eu
need="gcc make pkg-config libev-dev libyaml-dev libjansson-dev libibumad-dev \
libibmad-dev libsystemd-dev check"
stamp=build/.deps-ok
[ -f "$stamp" ] && [ "$stamp" -nt "$0" ] && exit 0
missing=""
for p in $need ${HEDDLE_EXTRA_PKGS:-}; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
		grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
	echo "heddle: missing packages:$missing" >&2
	if [ "$(id -u)" = 0 ]; then
		sudo=""
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo="sudo"
	else
		echo "heddle: neither root nor sudo: install them by hand," \
			"then run make again" >&2
		exit 1
	fi
	$sudo apt-get update -q >&2
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q \
		--no-install-recommends $missing >&2
fi
mkdir -p build
touch "$stamp"
