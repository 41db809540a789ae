# shellcheck shell=sh
# heddled as a daemon on heddle-sim, by a name: $E2E_DIR/NAME has its
# configuration, state, socket and log. Source it after lib.sh, and end with
# halt_all.

# at HOST COMMAND...: run it on that host
at() {
	at_host=$1
	shift
	"$B/heddle-sim" run --preload heddle --host "$at_host" \
		"$IBSIM_SOCKNAME" -- "$@"
}

# config NAME PRIORITY: write the configuration of a daemon; more from stdin
config() {
	mkdir -p "$E2E_DIR/$1"
	{
		cat <<-EOF
			state:
			  dir: $E2E_DIR/$1/state
			control:
			  socket: $E2E_DIR/$1/sock
			sweep:
			  interval: 1s
			standby:
			  poll_interval: 200ms
			  missed_polls: 2
			  refresh: 1s
			smp:
			  timeout: 100ms
			fabric:
			  priority: $2
		EOF
		cat
	} >"$E2E_DIR/$1/yaml"
}

# launch NAME HOST COMMAND...: in the background; its process id is in NAME/pid
launch() {
	la_dir=$E2E_DIR/$1
	la_host=$2
	shift 2
	rm -f "$la_dir/pid"
	# shellcheck disable=SC2016
	at "$la_host" /bin/sh -c 'echo $$ >"$0/pid"; exec "$@"' "$la_dir" "$@" \
		>>"$la_dir/log" 2>&1 </dev/null &
	soon test -s "$la_dir/pid" || fail "$1 did not start"
}

# daemon NAME HOST: start heddled on that host
daemon() {
	launch "$1" "$2" "$B/heddled" -c "$E2E_DIR/$1/yaml"
}

# halt NAME [SIGNAL]
halt() {
	ha_pid=$(cat "$E2E_DIR/$1/pid" 2>/dev/null) || return 0
	rm -f "$E2E_DIR/$1/pid"
	kill "-${2:-TERM}" "$ha_pid" 2>/dev/null
	until_true 20 gone "$ha_pid" || kill -9 "$ha_pid"
}

halt_all() {
	for d in "$E2E_DIR"/*/pid; do
		[ ! -e "$d" ] || halt "$(basename "$(dirname "$d")")"
	done
	e2e_cleanup
}

# tell NAME COMMAND...: run heddlectl against that daemon
tell() {
	te_name=$1
	shift
	"$B/heddlectl" --socket "$E2E_DIR/$te_name/sock" "$@"
}

# is NAME KEY VALUE: its status has that value
is() {
	tell "$1" --json status >"$E2E_DIR/$1/status" 2>/dev/null
	IS=$(json_get "$E2E_DIR/$1/status" "$2")
	[ "$IS" = "$3" ]
}

# becomes NAME KEY VALUE: its status has it soon
becomes() {
	soon is "$@" || fail "$1: $2 is $IS, not $3"
	say "$1: $2 is $3"
}

# rests NAME: it is idle, with nothing to do
rests() {
	soon rested "$1" || fail "$1 does not come to rest: it is $IS"
}

rested() {
	is "$1" role master && resting "$E2E_DIR/$1/status"
}

# metric NAME SAMPLE: its metrics have that line
metric() {
	soon is_metric "$@" ||
		fail "no $2: $(grep "^${2%%[ {]*}" "$E2E_DIR/$1/metrics")"
	say "$1: $2"
}

is_metric() {
	tell "$1" metrics >"$E2E_DIR/$1/metrics" &&
		grep -q "^$2\$" "$E2E_DIR/$1/metrics"
}

# says NAME CODE TEXT: its status exits so and, soon, has that text
says() {
	soon is_said "$@" || fail "status ends with $SAID and not $2, or has no" \
		"'$3': $(cut -c1-120 "$E2E_DIR/$1/page" | head -n 12)"
	say "$1: $3"
}

is_said() {
	tell "$1" status >"$E2E_DIR/$1/page" 2>&1
	SAID=$?
	[ $SAID = "$2" ] && grep -q "$3" "$E2E_DIR/$1/page"
}

# logged NAME TEXT
logged() {
	soon grep -q "$2" "$E2E_DIR/$1/log" || fail "$1 logs no '$2'"
}

well() {
	sim judge >"$E2E_DIR/judge" 2>&1
}

in_order() {
	soon well || fail "$1: $(cat "$E2E_DIR/judge")"
	say "$1: $(cat "$E2E_DIR/judge")"
}

# lids FILE: of all nodes
lids() {
	awk '$1 ~ /^(Switch|Ca)$/ { gsub(/"/, "", $3); print $3 }' \
		"$E2E_DIR/fabric.net" | while read -r li_node; do
		sim show "$li_node" </dev/null |
			sed -n 's/^\(port .*, lid [0-9]*\) .*/\1/p'
	done >"$1"
}

# lid_of HOST
lid_of() {
	sim show "$1" | sed -n 's/^port 1.*, lid \([0-9]*\) .*/\1/p'
}
