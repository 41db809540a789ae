#!/bin/sh
# What an administrator does before the first fabric is managed.
#
#	setup	packages are installed without starting a subnet manager
#	demo	make demo, and the commands that it tells to try next
#
# usage: install.sh setup|demo
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# ---- setup: deps.sh with a package manager that only says what it would do

# put NAME: a program of that name in front of all others, from stdin
put() {
	cat >"$E2E_DIR/bin/$1"
	chmod +x "$E2E_DIR/bin/$1"
}

# fakes: apt-get and dpkg-query for a machine without any package; to install
# opensm does what its Debian package does
fakes() {
	mkdir -p "$E2E_DIR/bin"
	put dpkg-query <<-'EOT'
		#!/bin/sh
		for p; do :; done
		grep -qx "$p" "$HEDDLE_ROOT/installed" 2>/dev/null || exit 1
		echo 'install ok installed'
	EOT
	put apt-get <<-'EOT'
		#!/bin/sh
		echo "apt-get $*" >>"$HEDDLE_ROOT/asked"
		case $1 in
		update) exit 0 ;;
		esac
		for p; do
			case $p in install | -*) continue ;; esac
			if [ "$2" = -s ]; then
				echo "Inst $p (1.0 Debian)"
				continue
			fi
			echo "Unpacking $p, noise of a package"
			echo "$p" >>"$HEDDLE_ROOT/installed"
			[ "$p" = opensm ] || continue
			wants=$HEDDLE_ROOT/etc/systemd/system/network-online.target.wants
			mkdir -p "$wants"
			ln -sf /lib/systemd/system/opensm.service "$wants"
			[ "$(readlink "$HEDDLE_ROOT/etc/systemd/system/opensm.service")" = \
				/dev/null ] || touch "$HEDDLE_ROOT/opensm-started"
		done
	EOT
	put id <<-'EOT'
		#!/bin/sh
		echo 0
	EOT
	put update-rc.d <<-'EOT'
		#!/bin/sh
		echo "update-rc.d $*" >>"$HEDDLE_ROOT/asked"
	EOT
}

# machine NAME [DEVICE]: a root without packages, and that InfiniBand device
machine() {
	HEDDLE_ROOT=$E2E_DIR/$1
	export HEDDLE_ROOT
	mkdir -p "$HEDDLE_ROOT/etc" "$HEDDLE_ROOT/work" \
		"$HEDDLE_ROOT/sys/class/infiniband"
	[ $# = 1 ] || mkdir "$HEDDLE_ROOT/sys/class/infiniband/$2"
}

# deps JOB [NAME=VALUE...]: what it prints is $E2E_DIR/said
deps() {
	deps_job=$1
	shift
	(cd "$HEDDLE_ROOT/work" && env -u CI -u HEDDLE_DEPS \
		PATH="$E2E_DIR/bin:$PATH" "$@" \
		sh "$DEPS" "$deps_job" >"$E2E_DIR/said" 2>&1 </dev/null)
}

# has PACKAGE, has_not PACKAGE: whether it was installed
has() {
	grep -qx "$1" "$HEDDLE_ROOT/installed" 2>/dev/null ||
		fail "$HEDDLE_ROOT: $1 is not installed: $(cat "$E2E_DIR/said")"
}

has_not() {
	! grep -qx "$1" "$HEDDLE_ROOT/installed" 2>/dev/null ||
		fail "$HEDDLE_ROOT: $1 was installed"
}

# sleeps: opensm was not started, and is not by the next boot
sleeps() {
	units=$HEDDLE_ROOT/etc/systemd/system
	[ ! -e "$HEDDLE_ROOT/opensm-started" ] || fail "opensm was started"
	[ "$(readlink "$units/opensm.service")" = /dev/null ] ||
		fail "opensm.service is not masked"
	[ ! -L "$units/network-online.target.wants/opensm.service" ] ||
		fail "opensm.service is enabled"
	grep -q '^update-rc.d opensm disable' "$HEDDLE_ROOT/asked" ||
		fail "the init script of opensm is enabled"
}

setup() {
	# without libcheck: the programs are built where no tests are
	! grep -l '^#include <check.h>' tests/sim/*/*.[ch] tests/topo/*.[ch] \
		tests/e2e/*.[ch] || fail "heddle-sim needs libcheck"
	DEPS=$PWD/tests/lint/deps.sh
	fakes

	machine plain
	deps demo || fail "demo: $(cat "$E2E_DIR/said")"
	has infiniband-diags
	has_not opensm
	deps check || fail "check: $(cat "$E2E_DIR/said")"
	has opensm
	sleeps
	grep -q 'masked' "$E2E_DIR/said" || fail "the mask is not told"
	! grep -q 'noise' "$E2E_DIR/said" || fail "noise of packages is shown"
	grep -q 'noise' "$HEDDLE_ROOT/work/build/deps.log" ||
		fail "noise of packages is not in the log"
	[ "$(grep -c '' "$E2E_DIR/said")" -le 6 ] ||
		fail "many lines: $(cat "$E2E_DIR/said")"
	: >"$HEDDLE_ROOT/asked"
	deps check || fail "check again"
	[ ! -s "$HEDDLE_ROOT/asked" ] || fail "packages are asked for twice"

	machine live mlx5_0
	deps demo || fail "demo: $(cat "$E2E_DIR/said")"
	has infiniband-diags
	! deps check || fail "opensm is installed beside InfiniBand devices"
	has_not opensm
	has_not check
	grep -q 'mlx5_0' "$E2E_DIR/said" || fail "the device is not named"
	grep -q 'HEDDLE_DEPS=yes' "$E2E_DIR/said" || fail "no way out is told"
	deps check HEDDLE_DEPS=yes || fail "HEDDLE_DEPS=yes is refused"
	has opensm
	sleeps

	machine runner mlx5_0
	deps check CI=true || fail "CI: $(cat "$E2E_DIR/said")"
	sleeps

	# an OpenSM of the machine itself is not touched
	machine site mlx5_0
	echo opensm >"$HEDDLE_ROOT/installed"
	deps check || fail "opensm is there: $(cat "$E2E_DIR/said")"
	[ ! -L "$HEDDLE_ROOT/etc/systemd/system/opensm.service" ] ||
		fail "the opensm of the machine was masked"

	# nor is a unit of its own
	machine unit
	mkdir -p "$HEDDLE_ROOT/etc/systemd/system"
	echo own >"$HEDDLE_ROOT/etc/systemd/system/opensm.service"
	! deps check || fail "a unit of the machine was passed over"
	has_not opensm
	say "setup: no subnet manager is started"
}

# ---- demo: what it prints at its end is run word by word

answers() {
	eval "$third" >"$E2E_DIR/third.out" 2>&1
}

demo() {
	E2E_DEMO=$E2E_DIR/kept tests/demo.sh >"$E2E_DIR/said" 2>&1 ||
		fail "the demo failed: $(tail -n 5 "$E2E_DIR/said")"
	sed -n '/^Try next/,$s/^  //p' "$E2E_DIR/said" |
		sed "s/ demo / $IBSIM_SOCKNAME /; s/demo &/$IBSIM_SOCKNAME \\&/" \
			>"$E2E_DIR/try"
	[ "$(grep -c '' "$E2E_DIR/try")" = 3 ] ||
		fail "not three commands: $(cat "$E2E_DIR/try")"
	# pasted at once: the second does not wait for the first to be ready
	sed -n 1,2p "$E2E_DIR/try" | sed 's/ &$/ \&/' >"$E2E_DIR/start"
	third=$(sed -n 3p "$E2E_DIR/try")
	sh -c ". $E2E_DIR/start; "' echo $! >'"$E2E_DIR/second; wait" \
		>"$E2E_DIR/sm.out" 2>&1 &
	E2E_SIM_PID=$!
	soon answers || fail "no answer: $(cat "$E2E_DIR/third.out")"
	grep -q '^to .*"h32"' "$E2E_DIR/third.out" ||
		fail "no path to h32: $(cat "$E2E_DIR/third.out")"
	kill "$(cat "$E2E_DIR/second")"
	sim quit >/dev/null
	soon gone "$E2E_SIM_PID" || fail "heddled or heddle-sim goes on"
	say "demo: $(grep -c '^' "$E2E_DIR/third.out") lines of a path"
}

case ${1:-} in
setup | demo) ;;
*)
	echo "usage: install.sh setup|demo" >&2
	exit 2
	;;
esac
E2E_NEEDS="ibnetdiscover dump_fts"
[ "$1" = demo ] || E2E_NEEDS="sh"
e2e_init
"$1"
