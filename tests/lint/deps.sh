#!/bin/sh
# usage: deps.sh build|demo|check|slurm|fuzz|bench|lint|deb|deb-check
# Installs the packages that a job needs and the machine lacks (as root or by
# sudo), or refuses clearly. What apt says goes to build/deps.log.
#
# The tests need OpenSM, whose package enables and starts a subnet manager on
# every port of the machine. On a live fabric that is an accident, so:
# - it is installed with its unit masked, and disabled afterwards: it starts
#   neither now nor at boot. An OpenSM that was installed before is left alone.
# - on a machine with InfiniBand devices no package with such a service is
#   installed, unless HEDDLE_DEPS=yes, or CI=true, says so.
#
# With HEDDLE_DEPS=no nothing is looked for or installed: where packages are
# built, other tools do that.
#
# HEDDLE_ROOT is put in front of /sys and /etc, for tests of this script.
set -eu
build="gcc make libc6-dev pkg-config libev-dev libyaml-dev libjansson-dev
libibumad-dev libibmad-dev libsystemd-dev libzstd-dev zlib1g-dev"
demo="infiniband-diags procps"
check="check graphviz ibsim-utils infiniband-diags jq libxml2-utils opensm procps"
slurm="slurmctld slurm-client"
fuzz="clang libclang-rt-dev"
bench="$check time"
deb="debhelper dpkg-dev"
debcheck="lintian debootstrap"
lint="git clang clang-format clang-tidy cppcheck mandoc shellcheck binutils"
# packages with a service that acts on InfiniBand devices
services="opensm rdma-core ibacm srptools"
root=${HEDDLE_ROOT:-}
job=${1:-}
case $job in
build) need=$build ;;
demo) need="$build $demo" ;;
check) need="$build $check" ;;
slurm) need="$build $slurm" ;;
fuzz) need="$build $fuzz" ;;
bench) need="$build $bench" ;;
lint) need="$build $lint" ;;
deb) need="$build $deb" ;;
deb-check) need="$build $deb $debcheck" ;;
*)
	echo "usage: deps.sh build|demo|check|slurm|fuzz|bench|lint|deb|deb-check" \
		>&2
	exit 2
	;;
esac

say() {
	echo "heddle: $*" >&2
}

refuse() {
	say "$*"
	exit 1
}

# devices: InfiniBand devices of this machine
devices() {
	for d in "$root"/sys/class/infiniband/*; do
		[ ! -e "$d" ] || printf ' %s' "${d##*/}"
	done
	[ ! -e "$root/sys/class/infiniband_mad/abi_version" ] ||
		printf ' %s' "the kernel's user MAD interface"
}

# apt LOG WHAT ARGUMENTS...: run apt-get, with its output in the log
apt() {
	apt_log=$1
	apt_what=$2
	shift 2
	sh "$quietly" "$apt_log" "$apt_what" \
		$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
		apt-get "$@" >&2
}

# with_services: of the packages that apt would install, those with a service
with_services() {
	# shellcheck disable=SC2086
	apt-get install -s -q --no-install-recommends $missing 2>/dev/null |
		sed -n 's/^Inst \([^ ]*\).*/\1/p' >"$plan"
	for p in $services; do
		! grep -qx "$p" "$plan" || printf ' %s' "$p"
	done
}

# mask UNIT: so that installing its package neither enables nor starts it
mask() {
	unit=$root/etc/systemd/system/$1
	[ "$(readlink "$unit" 2>/dev/null)" != /dev/null ] || return 0
	[ ! -e "$unit" ] ||
		refuse "$unit is a unit of this machine and could start a" \
			"subnet manager; install opensm by hand"
	$sudo mkdir -p "${unit%/*}"
	$sudo ln -s /dev/null "$unit"
}

# disable NAME: remove what its package did for the next boot, for systemd and
# for init scripts
disable() {
	for link in "$root"/etc/systemd/system/*.wants/"$1.service"; do
		[ ! -L "$link" ] || $sudo rm -f "$link"
	done
	! command -v update-rc.d >/dev/null ||
		$sudo update-rc.d "$1" disable >/dev/null 2>&1 || true
}

[ "${HEDDLE_DEPS:-}" != no ] || exit 0
stamp=build/.deps-$job
[ -f "$stamp" ] && [ -z "$(find "$0" -newer "$stamp")" ] && exit 0
mkdir -p build
log=build/deps.log
quietly=$(dirname "$0")/../quietly.sh
plan=build/.deps-plan
if ! command -v dpkg-query >/dev/null 2>&1; then
	say "no Debian packages here; make sure there are:" "$need"
	touch "$stamp"
	exit 0
fi
missing=""
for p in $need; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
		grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
	say "missing packages:$missing"
	if [ "$(id -u)" = 0 ]; then
		sudo=""
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo="sudo"
	else
		refuse "neither root nor sudo: install them by hand, then run" \
			"make again"
	fi
	apt build/deps-update.log "reading the lists of packages" update -q
	bring=$(with_services)
	here=$(devices)
	if [ -n "$bring" ] && [ -n "$here" ] && [ "${CI:-}" != true ] &&
		[ "${HEDDLE_DEPS:-}" != yes ]; then
		say "nothing was installed: this machine has InfiniBand" \
			"devices (${here# }),"
		say "and a package with a service that acts on them is" \
			"among what would be:$bring."
		say "opensm would be a second subnet manager of a live" \
			"fabric. HEDDLE_DEPS=yes installs it all the"
		refuse "same, with opensm masked, so that it does not start." \
			"make and make demo do without."
	fi
	case " $bring " in *" opensm "*) mask opensm.service ;; esac
	# shellcheck disable=SC2086
	apt "$log" "installing them; what apt says is in $log" \
		install -y -q --no-install-recommends $missing
	case " $bring " in
	*" opensm "*)
		disable opensm
		say "opensm is installed for the tests, and masked: it does" \
			"not start on this machine"
		say "(systemctl unmask opensm undoes that)"
		;;
	esac
fi
touch "$stamp"
