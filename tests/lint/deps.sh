#!/bin/sh
# usage: deps.sh build|check|fuzz|bench|lint
# Names the packages that a job needs and the machine lacks, and installs them
# (root or sudo), or refuses clearly.
set -eu
build="gcc make libc6-dev pkg-config libev-dev libyaml-dev libjansson-dev
libibumad-dev libibmad-dev libsystemd-dev"
check="check ibsim-utils infiniband-diags opensm procps"
fuzz="clang libclang-rt-dev"
bench="$check time"
lint="git clang clang-format clang-tidy cppcheck mandoc shellcheck binutils"
case ${1:-} in
build) need=$build ;;
check) need="$build $check" ;;
fuzz) need="$build $fuzz" ;;
bench) need="$build $bench" ;;
lint) need="$build $lint" ;;
*)
	echo "usage: deps.sh build|check|fuzz|bench|lint" >&2
	exit 2
	;;
esac
stamp=build/.deps-$1
[ -f "$stamp" ] && [ -z "$(find "$0" -newer "$stamp")" ] && exit 0
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "heddle: no Debian packages here; make sure there are:" "$need" >&2
	mkdir -p build
	touch "$stamp"
	exit 0
fi
missing=""
for p in $need; do
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
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends $missing >&2
fi
mkdir -p build
touch "$stamp"
