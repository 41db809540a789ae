# shellcheck shell=sh
# Helpers for end-to-end tests: a simulated fabric (ibsim, or heddle-sim),
# clients attached to it (libumad2sim.so), a subnet manager on it, and queries
# afterwards. Source it, then call e2e_init. Everything lives in $E2E_DIR and
# dies with the shell; processes are ended by their ids only.
#
#	SM=heddled (default) or opensm, with SM_ENGINE (updn)
#	B=build			where the programs are
#	E2E_KEEP=1		keep $E2E_DIR
#	E2E_PRE=LIB		preload it in front of libumad2sim.so
#	E2E_WRAP=COMMAND	run clients under it
#	E2E_SO=LIB		in place of libumad2sim.so (on heddle-sim only)
#	E2E_WAIT=SECONDS	the limit of every wait
#	E2E_NEEDS="PROGRAM..."	what must be installed, if not all of them
#
# A machine may be slow, or stop for a while. Expected states are waited for
# with `soon`, which ends when they are reached; a state that may come late is
# never checked only once. Before a test interferes with a daemon, and before
# its SMPs are counted, the daemon is at rest.

B=${B:-build}
SM=${SM:-heddled}
SM_ENGINE=${SM_ENGINE:-updn}
HEDDLE_FIXTURES=${HEDDLE_FIXTURES:-../shared/fixtures}
E2E_DIR=
E2E_SIM_PID=
E2E_SM_PID=
E2E_STATUS=77 # exit status of a skipped test
E2E_WAIT=${E2E_WAIT:-120}

say() {
	printf '%s\n' "$*"
}

fail() {
	say "FAIL: $*"
	last_words
	exit 1
}

# last_words: the end of the logs of daemons and simulators
last_words() {
	for lw_log in "$E2E_DIR"/*/log "$E2E_DIR"/sm.log "$E2E_DIR"/sm.out \
		"$E2E_DIR"/osm.log "$E2E_DIR"/sim.out; do
		[ -s "$lw_log" ] || continue
		say "--- ${lw_log#"$E2E_DIR/"} ends:"
		tail -n 12 "$lw_log" | cut -c1-240
	done
}

# told_to_end STATUS: SIGTERM ends the test: print the last words
told_to_end() {
	say "FAIL: it was told to end"
	last_words
	exit "$1"
}

skip() {
	say "SKIP: $*"
	exit "$E2E_STATUS"
}

now() {
	date +%s.%N
}

# since T0: seconds since then, with two decimals
since() {
	echo "$1 $(now)" | awk '{ printf "%.2f", $2 - $1 }'
}

# until_true SECONDS COMMAND...: poll it, for that long and that many times: a
# machine that stops does not use up the time
until_true() {
	ut_left=$1
	ut_end=$(($(date +%s) + ut_left))
	shift
	while :; do
		"$@" && return 0
		ut_left=$((ut_left - 1))
		[ "$ut_left" -ge 0 ] || [ "$(date +%s)" -lt "$ut_end" ] ||
			return 1
		sleep 0.1
	done
}

# soon COMMAND...: wait until it is true
soon() {
	until_true "$E2E_WAIT" "$@"
}

# stop_pid PID: SIGTERM, later SIGKILL
stop_pid() {
	[ -n "$1" ] || return 0
	kill "$1" 2>/dev/null || return 0
	until_true 20 gone "$1" || kill -9 "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

gone() {
	! kill -0 "$1" 2>/dev/null ||
		grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

e2e_cleanup() {
	stop_pid "$E2E_SM_PID"
	stop_pid "$E2E_SIM_PID"
	[ -n "${E2E_KEEP:-}" ] || rm -rf "$E2E_DIR"
}

# Programs by absolute path, a directory of our own, and its removal.
e2e_init() {
	case $B in /*) ;; *) B=$PWD/$B ;; esac
	case $HEDDLE_FIXTURES in
	/*) ;;
	*) HEDDLE_FIXTURES=$PWD/$HEDDLE_FIXTURES ;;
	esac
	for p in ${E2E_NEEDS:-ibsim ibsim-run ibnetdiscover dump_fts opensm}; do
		PATH=$PATH:/usr/sbin command -v "$p" >/dev/null ||
			skip "$p is not installed (ibsim-utils," \
				"infiniband-diags, opensm)"
	done
	PATH=$PATH:/usr/sbin
	case ${E2E_NEEDS:-ibsim} in *ibsim*)
		E2E_SO=$(sed -n 's/^sim_so=//p' "$(command -v ibsim-run)")
		[ -e "$E2E_SO" ] || skip "no libumad2sim.so at '$E2E_SO'"
		;;
	esac
	E2E_DIR=$(mktemp -d "${TMPDIR:-/tmp}/heddle-e2e.XXXXXX")
	trap e2e_cleanup EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'told_to_end 143' TERM
	IBSIM_SOCKNAME=he2e$$
	export IBSIM_SOCKNAME
}

# net_limits FILE: ibsim's options -N -S -P for it
net_limits() {
	awk '$1 ~ /^(Switch|Ca|Hca|Rt)$/ && $2 ~ /^[0-9]+$/ {
		n++; p += $2 + 1
		if ($1 == "Switch") s++
	}
	END { printf "-N %d -S %d -P %d", n + 64, s + 64, p + 1024 }' "$1"
}

# net_hosts FILE: the ids of hosts with a link at port 1, which is the port of
# libumad2sim.so's clients; without aggregation nodes
net_hosts() {
	awk '$1 ~ /^(Switch|Ca|Hca|Rt)$/ {
		id = ""
		if ($1 != "Switch" && !/Aggregation Node/)
			id = $3
		gsub(/"/, "", id)
	}
	/^\[1\]/ && id != "" { print id }' "$1"
}

# net_cables FILE: "id port id port" of links between two switches
net_cables() {
	awk '$1 ~ /^(Switch|Ca|Hca|Rt)$/ {
		id = $1 == "Switch" ? $3 : ""
		gsub(/"/, "", id)
	}
	/^\[/ && id != "" {
		split($0, f, /[][]/)
		split($0, q, "\"")
		if (q[2] !~ /^S-/ || q[2] == id || q[2] < id)
			next
		split(q[3], e, /[][]/)
		print id, f[2], q[2], e[2]
	}' "$1"
}

# pick SEED N: N lines of stdin, always the same for one seed
pick() {
	awk -v seed="$1" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' |
		sort -k1,1g | head -n "$2" | cut -f2-
}

# sim_start FILE: a simulator on this fabric; ready when it returns
sim_start() {
	E2E_SIM_OUT=$E2E_DIR/sim.out
	: >"$E2E_SIM_OUT"
	mkfifo "$E2E_DIR/console"
	# Opened for reading and writing, so that neither side waits for the
	# other.
	exec 9<>"$E2E_DIR/console"
	# shellcheck disable=SC2046
	ibsim -s $(net_limits "$1") "$1" <"$E2E_DIR/console" \
		>>"$E2E_SIM_OUT" 2>&1 9<&- &
	E2E_SIM_PID=$!
	soon sim_ready || fail "ibsim did not start"
	net_hosts "$1" >"$E2E_DIR/hosts"
	E2E_SM_HOST=$(head -n 1 "$E2E_DIR/hosts")
	E2E_TOOL_HOST=$(tail -n 1 "$E2E_DIR/hosts")
}

sim_ready() {
	gone "$E2E_SIM_PID" && fail "ibsim ended"
	grep -q 'simulator ready' "$E2E_SIM_OUT" &&
		grep -q "@$IBSIM_SOCKNAME:ctl" /proc/net/unix
}

# sim_cmd TEXT: a line for ibsim's console
sim_cmd() {
	printf '%s\n' "$*" >&9
}

# sim_dump FILE [PATTERN]: the state of all ports, from the simulator itself, or
# the lines of it that match the pattern
sim_dump() {
	: >"$E2E_SIM_OUT"
	sim_cmd Dump
	soon grep -aq '^# *dumped ' "$E2E_SIM_OUT" || fail "ibsim gave no dump"
	grep -a "${2:-^[^#]}" "$E2E_SIM_OUT" >"$1"
	: >"$E2E_SIM_OUT"
}

sim_stop() {
	[ -n "$E2E_SIM_PID" ] || return 0
	sim_cmd quit
	until_true 20 gone "$E2E_SIM_PID"
	stop_pid "$E2E_SIM_PID"
	E2E_SIM_PID=
	exec 9>&-
	rm -f "$E2E_DIR/console" "$E2E_SIM_OUT"
}

# serve FILE [options]: heddle-sim instead; ready when it returns
serve() {
	: >"$E2E_DIR/sim.out"
	"$B/heddle-sim" serve "$@" --name "$IBSIM_SOCKNAME" \
		>"$E2E_DIR/sim.out" 2>&1 &
	E2E_SIM_PID=$!
	soon served || fail "heddle-sim did not start"
	net_hosts "$1" >"$E2E_DIR/hosts"
	E2E_SM_HOST=$(head -n 1 "$E2E_DIR/hosts")
	E2E_TOOL_HOST=$(tail -n 1 "$E2E_DIR/hosts")
}

served() {
	gone "$E2E_SIM_PID" && fail "heddle-sim ended"
	grep -q 'ready as' "$E2E_DIR/sim.out"
}

# sim COMMAND...: send a command to heddle-sim
sim() {
	"$B/heddle-sim" ctl --name "$IBSIM_SOCKNAME" "$@"
}

unserve() {
	sim quit || fail "heddle-sim did not quit"
	soon gone "$E2E_SIM_PID" || fail "heddle-sim goes on"
	wait "$E2E_SIM_PID" || fail "heddle-sim failed"
	E2E_SIM_PID=
}

# patience PROGRAM: options for longer time-outs; the tools' own is a second
patience() {
	case $1 in
	ibnetdiscover | dump_fts | smpquery | sminfo | ibtracert | saquery | \
		perfquery)
		echo "-t 20000"
		;;
	esac
}

# on HOST COMMAND...: run it attached to that node of the fabric
on() {
	on_host=$1
	on_what=$2
	shift 2
	on_dir=$(mktemp -d "$E2E_DIR/client.XXXXXX")
	# libumad2sim.so writes a sys-PID tree where it is started.
	# shellcheck disable=SC2046,SC2086
	(cd "$on_dir" && exec ${E2E_WRAP:-} env SIM_HOST="$on_host" \
		LD_PRELOAD="${E2E_PRE:+$E2E_PRE:}$E2E_SO" \
		OSM_TMP_DIR="$on_dir" OSM_CACHE_DIR="$on_dir" \
		"$on_what" $(patience "$on_what") "$@" 9<&-)
	on_rc=$?
	rm -rf "$on_dir"
	return $on_rc
}

# sm_config: heddled's configuration for this fabric. libumad2sim.so holds one
# lock while it sends and while it receives: if more than about 270 datagrams
# wait in both directions it and ibsim wait for each other for ever, so that a
# window and its retries must stay below that.
sm_config() {
	E2E_CONF=$E2E_DIR/heddle.yaml
	E2E_SOCKET=$E2E_DIR/heddle.sock
	cat >"$E2E_CONF" <<-EOF
		fabric:
		  port: auto
		${E2E_CONF_FABRIC:-}
		state:
		  dir: $E2E_DIR/state
		control:
		  socket: $E2E_SOCKET
		smp:
		  window_max: ${E2E_WINDOW:-64}
		  timeout: ${E2E_TIMEOUT:-200ms}
		${E2E_CONF_MORE:-}
	EOF
	# heddled refuses keys that every user can read
	chmod o= "$E2E_CONF"
}

# sm_once: bring the fabric up and return; its log is $E2E_DIR/sm.log
sm_once() {
	if [ "$SM" = opensm ]; then
		on "$E2E_SM_HOST" opensm -o -R "$SM_ENGINE" \
			-f "$E2E_DIR/sm.log" >"$E2E_DIR/sm.out" 2>&1
		return
	fi
	sm_config
	on "$E2E_SM_HOST" "$B/heddled" -c "$E2E_CONF" --once \
		>"$E2E_DIR/sm.log" 2>&1
}

# sm_launch COMMAND...: start that subnet manager as a daemon. sm_stop ends it.
sm_launch() {
	mkdir -p "$E2E_DIR/sm"
	(cd "$E2E_DIR/sm" && exec env SIM_HOST="$E2E_SM_HOST" \
		LD_PRELOAD="${E2E_PRE:+$E2E_PRE:}$E2E_SO" \
		OSM_TMP_DIR="$E2E_DIR/sm" OSM_CACHE_DIR="$E2E_DIR/sm" "$@" 9<&-) \
		>"$E2E_DIR/sm.out" 2>&1 </dev/null &
	E2E_SM_PID=$!
}

# sm_start: start the subnet manager under test.
sm_start() {
	sm_config
	if [ "$SM" = opensm ]; then
		# -d2: every line of the log is flushed
		set -- opensm -R "$SM_ENGINE" -d2 -f "$E2E_DIR/sm.log"
	else
		set -- "$B/heddled" -c "$E2E_CONF"
	fi
	sm_launch "$@"
}

sm_stop() {
	stop_pid "$E2E_SM_PID"
	E2E_SM_PID=
	rm -rf "$E2E_DIR/sm"
}

ctl() {
	"$B/heddlectl" --socket "$E2E_SOCKET" "$@"
}

# json_flat: JSON on stdin as lines "a.b.0.c<TAB>value"
json_flat() {
	awk -f "$E2E_HOME/json.awk"
}

# json_get FILE KEY: one value of it, "-" if there is none
json_get() {
	json_flat <"$1" | awk -F'\t' -v k="$2" '
		$1 == k { print $2; found = 1; exit }
		END { if (!found) print "-" }'
}

# status_get KEY: one value of heddlectl status
status_get() {
	# It exits with 1 if something is wrong, and prints the answer all the
	# same.
	ctl --json status >"$E2E_DIR/status.json" 2>/dev/null ||
		[ -s "$E2E_DIR/status.json" ] || {
		echo -
		return 1
	}
	json_get "$E2E_DIR/status.json" "$1"
}

# resting FILE: by that status nothing is in progress or to be done
resting() {
	[ "$(json_get "$1" phase)" = idle ] &&
		[ "$(json_get "$1" dirty)" = false ] &&
		[ "$(json_get "$1" wire.in_flight)" = 0 ]
}

at_rest() {
	[ "$(status_get role)" = master ] && resting "$E2E_DIR/status.json"
}

# rest: wait until the daemon is at rest
rest() {
	soon at_rest || fail "it does not come to rest:" \
		"$(sed 's/,"/ /g' "$E2E_DIR/status.json" | cut -c1-200)"
}

# sent_so_far: "all blocks", the SMPs and the LFT blocks among them since
# heddled started, without repetitions after late answers. One change may take
# more than one view, so counts of the last one would not do.
sent_so_far() {
	ssf=$(status_get wire.completed)
	ssf_blocks=$(json_get "$E2E_DIR/status.json" \
		wire.by_attribute.LinearForwardingTable.set)
	[ "$ssf_blocks" != - ] || ssf_blocks=0
	echo "$ssf $ssf_blocks"
}

# top_lid FILE: the highest LID in ibnetdiscover's text
top_lid() {
	awk '/^Switch/ && match($0, / lid [0-9]+ lmc/) ||
		/^\[/ && match($0, /# lid [0-9]+ lmc/) {
		lid = substr($0, RSTART, RLENGTH)
		sub(/.*lid /, "", lid)
		lmc = substr($0, RSTART + RLENGTH) + 0
		lid += 2 ^ lmc - 1
		if (lid > top)
			top = lid
	}
	END { print top + 0 }' "$1"
}

# judge NAME [ftscheck options]: read the fabric and its tables with the
# standard tools; the verdict is left in $E2E_DIR/NAME.{net,fts,json}
judge() {
	judge_as=$E2E_DIR/$1
	shift
	on "$E2E_TOOL_HOST" ibnetdiscover >"$judge_as.net" ||
		fail "ibnetdiscover failed"
	on "$E2E_TOOL_HOST" dump_fts -n >"$judge_as.fts" ||
		fail "dump_fts failed"
	judge_top=$(top_lid "$judge_as.net")
	if [ $((judge_top % 64)) = 0 ]; then
		sim_dump "$judge_as.dump" "^Switch\\|[][]$judge_top\\]"
		awk -v lid="$judge_top" -f "$E2E_HOME/lastlid.awk" \
			"$judge_as.dump" >>"$judge_as.fts"
	fi
	"$B/heddle-ftscheck" --json "$@" "$judge_as.net" "$judge_as.fts" \
		>"$judge_as.json"
}

# states NAME: every port with a link is Active, every end port has a LID
states() {
	sim_dump "$E2E_DIR/$1.dump"
	awk -f "$E2E_HOME/states.awk" "$E2E_DIR/$1.dump"
}

generate() {
	"$B/heddle-sim" generate "$@"
}

# fabric NAME FILE: write that fabric, or skip the test
fabric() {
	case $1 in
	selene) fabric_fixture ufm-sdk-selene-compute.ibnet "$2" ;;
	gb200) fabric_fixture topograph-ndr-gb200.ibnet "$2" ;;
	lab-small) fabric_fixture ufm-sdk-small.ibnet "$2" ;;
	lab-selfloop) fabric_fixture ibtopotool-3-mixed-selfloop.ibnet "$2" ;;
	demo) generate fattree2 --spines 4 --leaves 8 --hosts 4 >"$2" ;;
	rails) generate fattree2 --spines 4 --leaves 8 --hosts 8 --rails 2 >"$2" ;;
	tree512)
		generate fattree2 --spines 8 --leaves 32 --hosts 16 >"$2"
		;;
	tree648)
		generate fattree2 --spines 18 --leaves 36 --hosts 18 >"$2"
		;;
	tree3456) generate fattree3 --k 24 >"$2" ;;
	tree11664) generate fattree3 --k 36 >"$2" ;;
	tree27648) generate fattree3 --k 48 >"$2" ;;
	torus888) generate torus --dim 8x8x8 --hosts 1 >"$2" ;;
	hyperx64) generate hyperx --dim 6x4 --hosts 3 >"$2" ;;
	irregular)
		generate random --switches 64 --degree 6 --hosts 4 \
			--seed 1 >"$2"
		;;
	*) fail "unknown fabric $1" ;;
	esac || fail "heddle-sim could not make $1"
}

fabric_fixture() {
	[ -r "$HEDDLE_FIXTURES/$1" ] ||
		skip "$1 is not in HEDDLE_FIXTURES=$HEDDLE_FIXTURES"
	cp "$HEDDLE_FIXTURES/$1" "$2"
	chmod u+w "$2"
}

E2E_HOME=$(cd "${E2E_HOME:-tests/e2e}" && pwd)

# neighbours FILE: of each link between switches and either end of it: the
# switch, its number of hosts, the switch at the other end, its number of hosts
neighbours() {
	awk '$1 ~ /^(Switch|Ca|Hca|Rt)$/ {
		id = $1 == "Switch" ? $3 : ""
		gsub(/"/, "", id)
	}
	/^\[/ && id != "" {
		split($0, q, "\"")
		if (q[2] !~ /^S-/)
			hosts[id]++
		else
			near[id] = near[id] " " q[2]
	}
	END {
		for (id in near) {
			n = split(near[id], peer, " ")
			for (i = 1; i <= n; i++)
				print id, hosts[id] + 0, peer[i], hosts[peer[i]] + 0
		}
	}' "$1"
}
