#!/bin/sh
# Name the packages that are missing and install them, or refuse clearly.
# usage: deps.sh PKGCONFIG-NAME...
# HEDDLE_EXTRA_PKGS names more than the build needs: make demo, check and lint
# set it.
set -eu
need="gcc make pkg-config libev-dev libyaml-dev libjansson-dev libibumad-dev \
libibmad-dev libsystemd-dev check"
all="$need ${HEDDLE_EXTRA_PKGS:-}"
stamp=build/.deps-ok-$(echo "$all" | cksum | cut -d' ' -f1)
[ -f "$stamp" ] && [ -z "$(find "$0" -newer "$stamp")" ] && exit 0

refuse() {
	echo "heddle: $*" >&2
	exit 1
}

finish() {
	mkdir -p build
	touch "$stamp"
	exit 0
}

# Other systems name packages in other ways: what pkg-config finds is there.
if ! command -v dpkg-query >/dev/null 2>&1; then
	for p in "$@"; do
		pkg-config --exists "$p" ||
			refuse "no $p here, and this is no Debian:" \
				"install what Debian calls $all"
	done
	finish
fi

missing=""
for p in $all; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
		grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || finish

echo "heddle: missing packages:$missing" >&2
if [ "$(id -u)" = 0 ]; then
	sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	sudo="sudo"
else
	refuse "neither root nor sudo: install them by hand, then run again"
fi
$sudo apt-get update -q >&2 || echo "heddle: apt-get update failed" >&2
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q \
	--no-install-recommends $missing >&2 ||
	refuse "could not install$missing"
finish
