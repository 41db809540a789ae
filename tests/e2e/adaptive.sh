#!/bin/sh
# Switches that choose among ports, told by heddled as a daemon on heddle-sim.
# usage: adaptive.sh TEST-FABRIC
#	restart		groups stay as they are over a restart, with the state
#			file and without; those of a changed fabric are anew
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh
# shellcheck source=tests/e2e/daemons.sh
. tests/e2e/daemons.sh

# sets: how many of tables and of adaptive routing the switches were sent
sets() {
	sim stats | awk '/^Set (LinearForwardingTable|0xff2[013]):/ { n += $NF }
		END { print n + 0 }'
}

# chooses N: so many switches choose, and nothing is left to be written
chooses() {
	logged a "adaptive: switches that choose among ports=$1 of 12 cannot=0"
	rests a
}

# again WHAT: a start of the daemon that writes nothing
again() {
	: >"$E2E_DIR/a/log"
	sim stats clear >/dev/null
	daemon a h1
	chooses 8
	logged a 'adaptive: groups that were found are read switches=8'
	[ "$(sets)" = 0 ] || fail "$1: $(sim stats | grep '^Set')"
	in_order "$1"
}

test_restart() {
	config a 5 <<-EOF
		routing:
		  adaptive:
		    enabled: true
	EOF
	daemon a h1
	chooses 8
	[ "$(sets)" -gt 0 ] || fail "nothing was written"
	in_order "bring-up"
	halt a
	again "stopped and started"
	halt a KILL
	rm -r "$E2E_DIR/a/state"
	again "killed, and started without its state"
	halt a
	sim link leaf3/5 down || fail "link"
	: >"$E2E_DIR/a/log"
	daemon a h1
	logged a 'adaptive: switched off on switches=8 '
	chooses 8
	in_order "a cable was lost meanwhile"
	metric a 'heddle_adaptive_switched_off_total 8'
	metric a 'heddle_foreign_adaptive 0'
}

e2e_init
trap halt_all EXIT
test=${1%%-*}
[ "$test" = restart ] || fail "usage: adaptive.sh restart-FABRIC"
fabric "${1#*-}" "$E2E_DIR/fabric.net"
sed -i '/^Switch/s/$/ # heddle: ar=rev1/' "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
