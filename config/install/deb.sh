#!/bin/sh
# usage: deb.sh [--made], from make deb: Debian packages in build/deb
#
# They are built from a copy of the source in build/deb-work/src, of which only
# objects stay until the next time; nothing is done if the source is the same.
# --made: the exit status says whether it is. build/deb has the packages alone:
# it is what images of containers are made from.
set -eu
out=$PWD/build/deb
work=$PWD/build/deb-work
src=$work/src
version=$(sed -n 's/^#define VERSION_TEXT "\(.*\)"/\1/p' sm/base/version.h)
changelog=$(sed -n '1s/^heddle (\(.*\)) .*/\1/p' debian/changelog)
[ "$version" = "$changelog" ] || {
	echo "heddle: sm/base/version.h says $version, debian/changelog" \
		"$changelog" >&2
	exit 1
}

# files: every one that may be in the packages
files() {
	find . \( -path ./build -o -path ./.git \) -prune -o \
		! -type d -printf '%p %s %T@ %m\n' | LC_ALL=C sort
}

mkdir -p "$src" "$out"
files >"$work/new"
! cmp -s "$work/new" "$work/files" || exit 0
[ "${1:-}" != --made ] || exit 1
rm -f "$work/files" "$out"/*
# objects do not depend on the flags of debian/rules
cmp -s debian/rules "$src/debian/rules" || rm -rf "$src/build"
find "$src" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$src"
# shellcheck disable=SC2016
# what make was called with is for programs, not for packages
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u SAN -u COV -u DESTDIR \
	sh tests/quietly.sh "$work/log" "building Debian packages" \
	sh -c 'cd "$1" && dpkg-buildpackage -b -us -uc -nc -j"$(nproc)"' sh "$src"
mv "$work"/heddle*_* "$out"
mv "$work/new" "$work/files"
