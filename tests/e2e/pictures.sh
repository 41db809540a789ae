#!/bin/sh
# What heddlectl topology prints for other programs is read by them. usage:
# pictures.sh TEST-FABRIC
#	drawn	Graphviz and xmllint take the pictures; nothing that fails, and
#		no restart, changes the files of Slurm
#	slurm	slurmctld takes topology.conf, from 25.05 on topology.yaml,
#		and knows each host at its switch (make slurm installs it)
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# bring_up: heddled runs on the fabric, and all is written
bring_up() {
	sm_start
	soon in_force || fail "no view"
}

in_force() {
	ctl status >"$E2E_DIR/page" 2>&1 &&
		grep -q '^verified .* 0 missing' "$E2E_DIR/page"
}

# print FORMAT [OPTION...]: into $E2E_DIR/FORMAT; files of Slurm as soon as the
# names of hosts are read
print() {
	soon printed "$@" || fail "topology --format $1"
}

printed() {
	pr_format=$1
	shift
	ctl topology --format "$pr_format" "$@" >"$E2E_DIR/$pr_format" \
		2>"$E2E_DIR/out" && return
	grep -q 'still being read: try again' "$E2E_DIR/out" ||
		fail "$(cat "$E2E_DIR/out")"
	return 1
}

# edges: of the graph, as dot sees them
edges() {
	dot -Tplain "$E2E_DIR/dot" >"$E2E_DIR/plain" || fail "dot"
	grep '^edge' "$E2E_DIR/plain" | grep -vc ' invis '
}

picture() {
	print svg
	xmllint --noout "$E2E_DIR/svg" || fail "svg is no XML"
	[ "$(grep -c "$1" "$E2E_DIR/svg")" = "$2" ] ||
		fail "not $2 of '$1' in the picture"
	say "svg: $2 of '$1'"
}

# misses N: so many nodes and links
misses() {
	ctl links >"$E2E_DIR/links"
	grep -q "^missing: $1\$" "$E2E_DIR/links"
}

same_files() {
	for f in slurm slurm-yaml; do
		mv "$E2E_DIR/$f" "$E2E_DIR/before"
		print $f
		cmp "$E2E_DIR/$f" "$E2E_DIR/before" || fail "$f: changed by $1"
	done
	say "files of Slurm: unchanged by $1"
}

# refused TEXT OPTION...: a usage error with this text
refused() {
	re_text=$1
	shift
	ctl topology "$@" >"$E2E_DIR/out" 2>&1
	re_code=$?
	[ $re_code = 2 ] || fail "topology $*: code $re_code"
	grep -q -e "$re_text" "$E2E_DIR/out" ||
		fail "topology $*: $(cat "$E2E_DIR/out")"
}

test_drawn() {
	bring_up
	print slurm
	print slurm-yaml
	print dot
	[ "$(edges)" = 32 ] || fail "dot: $(edges) edges"
	print dot --hosts 'h[1-3]'
	[ "$(edges)" = 35 ] || fail "dot --hosts: $(edges) edges"
	picture '<polyline class="l"' 32
	picture '<rect class="sl"' 9
	grep -q '^SwitchName=leaf3 Nodes=h\[9-12\]$' "$E2E_DIR/slurm" ||
		fail "slurm: $(cat "$E2E_DIR/slurm")"
	sim link leaf1/5 down >/dev/null || fail "link"
	sim link h20 down >/dev/null || fail "link"
	sim remove leaf3 >/dev/null || fail "remove"
	sim remove spine4 >/dev/null || fail "remove"
	soon misses "7 nodes, 1 link" || fail "$(cat "$E2E_DIR/links")"
	ctl drain spine2 >"$E2E_DIR/out" 2>&1 || fail "$(cat "$E2E_DIR/out")"
	same_files "what failed"
	picture 'class="m" [^>]*>missing<' 2
	picture 'class="m" [^>]*>drained<' 1
	picture '<polyline class="lm"' 12
	sm_stop
	bring_up
	soon misses "7 nodes, 1 link" || fail "$(cat "$E2E_DIR/links")"
	same_files "a restart"
	picture 'class="m" [^>]*>missing<' 2
	ctl links accept >/dev/null || fail "accept"
	ctl topology --format slurm | grep -q leaf3 && fail "leaf3 is kept"
	refused "'hosts' is for the formats" --hosts h1
	refused "unknown format 'png'" --format png
}

# ---- Slurm ----

# controller FILE HOSTS: slurmctld with this file, a topology.conf or
# topology.yaml; it ends at once, its log stays
controller() {
	ct_dir=$E2E_DIR/slurmctld
	rm -rf "$ct_dir"
	mkdir -p "$ct_dir/state"
	ct_port=$((20000 + $$ % 20000))
	cat >"$ct_dir/slurm.conf" <<-EOF
		ClusterName=heddle
		SlurmctldHost=localhost
		SlurmUser=$(id -un)
		AuthType=auth/none
		CredType=cred/none
		MailProg=/bin/true
		MpiDefault=none
		StateSaveLocation=$ct_dir/state
		SlurmctldPidFile=$ct_dir/pid
		SlurmctldPort=$ct_port
		SlurmdPort=$((ct_port + 20000))
		TopologyPlugin=topology/tree
		ProctrackType=proctrack/linuxproc
		SelectType=select/cons_tres
		NodeName=$2 State=FUTURE
		PartitionName=all Nodes=ALL Default=YES
	EOF
	cp "$1" "$ct_dir/$(sed -n '1s/^# \([^ ]*\) of Slurm.*/\1/p' "$1")"
	slurmctld -D -i -v -v -f "$ct_dir/slurm.conf" >"$ct_dir/log" 2>&1 &
	ct_pid=$!
	soon ct_ready
	kill "$ct_pid" 2>/dev/null
	wait "$ct_pid" 2>/dev/null
}

ct_ready() {
	gone "$ct_pid" || grep -q '_log_switches:.*name:fabric ' "$ct_dir/log"
}

# knows LEVEL NAME WHAT: the controller does
knows() {
	grep -q "Switch level:$1 name:$2 $3" "$ct_dir/log" ||
		fail "slurmctld: no $2: $(grep -e Switch -e fatal "$ct_dir/log")"
	say "slurmctld: level $1, $2 $3"
}

# reads_yaml: this slurmctld does
reads_yaml() {
	slurmctld -V | awk '{
		split($2, v, ".")
		exit !(v[1] * 100 + v[2] >= 2505)
	}'
}

# takes N HOSTS: the files without a complaint, N switches of each
takes() {
	print slurm
	print slurm-yaml
	ta_files=slurm
	! reads_yaml || ta_files="slurm slurm-yaml"
	for f in $ta_files; do
		controller "$E2E_DIR/$f" "$2"
		! grep -e 'Invalid hostnames' -e 'lack access' \
			-e 'Multiple leaf' -e 'no switch can reach' -e 'fatal' \
			"$ct_dir/log" || fail "slurmctld complains of $f"
		[ "$(grep -c '_log_switches: Switch level' "$ct_dir/log")" = \
			"$1" ] ||
			fail "$f: not $1 switches: $(cat "$ct_dir/log")"
	done
	say "slurmctld: takes $ta_files"
}

test_slurm() {
	bring_up
	case $1 in
	demo)
		takes 9 'h[1-32]'
		knows 0 leaf3 'nodes:h\[9-12\]'
		knows 1 fabric 'nodes:h\[1-32\] switches:leaf\[1-8\]'
		;;
	rails)
		takes 9 'h[1-64]'
		knows 1 fabric 'nodes:h\[1-64\]'
		;;
	hyperx64)
		takes 29 'h[1-72]'
		knows 2 fabric 'nodes:h\[1-72\] switches:group-'
		;;
	*) fail "what does $1 look like?" ;;
	esac
}

test=${1%%-*}
case $test in
drawn) E2E_NEEDS="dot xmllint" ;;
slurm) E2E_NEEDS="slurmctld" ;;
*)
	say "usage: pictures.sh drawn|slurm-FABRIC" >&2
	exit 2
	;;
esac
e2e_init
E2E_SO=$B/libheddle-umad.so
fabric "${1#*-}" "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$test" "${1#*-}"
say "OK: $1"
