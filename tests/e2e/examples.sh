#!/bin/sh
# Every example of the manual pages and of README.md is run. usage: examples.sh
# all
#
# examples.awk finds them. Commands are run as a reader would, in a folder with
# the files that they name, against a heddled on a simulated fabric with the
# names that they name; YAML is given to --check-config; of a command that is
# only mentioned, such as `heddlectl drain`, there must be a help. Lines that
# cannot be run are in examples.except, with the reason.
#
# E2E_TRANSCRIPT=FILE: keep there what was run, and what it said.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh
# shellcheck source=tests/e2e/daemons.sh
. tests/e2e/daemons.sh

# program NAME PATH: in PATH, on host h32 of the fabric unless it is on one
program() {
	cat >"$E2E_DIR/bin/$1" <<-EOT
		#!/bin/sh
		case \${LD_PRELOAD:-} in *umad*) exec $2 "\$@" ;; esac
		exec $B/heddle-sim run --preload heddle --host h32 \\
			$IBSIM_SOCKNAME -- $2 "\$@"
	EOT
	chmod +x "$E2E_DIR/bin/$1"
}

# programs: those that examples use
programs() {
	mkdir -p "$E2E_DIR/bin"
	ln -s "$B/heddlectl" "$B/heddle-sim" "$B/libheddle-umad.so" \
		"$E2E_DIR/bin/"
	for tool in sminfo ibnetdiscover dump_fts; do
		program $tool "$(command -v $tool)"
	done
	# Slurm has read the file that is written for it
	ln -s /bin/true "$E2E_DIR/bin/scontrol"
	program opensm "env OSM_TMP_DIR=$E2E_DIR OSM_CACHE_DIR=$E2E_DIR \
		$(command -v opensm) -f $E2E_DIR/osm.log"
	program real-heddled "$B/heddled"
	# its default configuration is in /etc
	cat >"$E2E_DIR/bin/heddled" <<-EOT
		#!/bin/sh
		case " \$* " in
		*' -c '*) exec real-heddled "\$@" ;;
		esac
		exec real-heddled -c "$E2E_DIR/here/etc/heddle/heddle.yaml" "\$@"
	EOT
	chmod +x "$E2E_DIR/bin/heddled"
}

# named: a fabric whose nodes have the names of the examples
named() {
	generate fattree2 --spines 4 --leaves 8 --hosts 4 | sed \
		-e 's/"h2"/"node01 HCA-1"/; s/"h3"/"node02 HCA-1"/' \
		-e 's/"h4"/"blue-07"/; s/"h5"/"green-03"/' \
		-e 's/"h6"/"A"/; s/"h7"/"B"/' \
		-e 's/2c90300000401/2c90300a1b2c3/'
}

# here: the folder of the examples, with their files
here() {
	here=$E2E_DIR/here
	mkdir -p "$here/etc/heddle" "$here/etc/opensm" "$here/shared" \
		"$here/var/lib/node_exporter"
	cp "$E2E_DIR/net" "$here/fabric.ibnet"
	cp "$E2E_DIR/net" "$here/captured.net"
	cp "$E2E_DIR/net" "$here/plan.ndt"
	printf 'state: {dir: %s}\ncontrol: {socket: %s}\n' \
		"$here/state" "$here/sock" >"$here/heddle.yaml"
	cp "$here/heddle.yaml" "$here/FILE.yaml"
	cp "$here/heddle.yaml" "$here/new.yaml"
	cp "$here/heddle.yaml" "$here/etc/heddle/heddle.yaml"
	echo 'sm_priority 3' >"$here/opensm.conf"
	echo 'Default=0x7fff, ipoib : ALL=full;' >"$here/partitions.conf"
	cp "$here/opensm.conf" "$here/partitions.conf" "$here/etc/opensm/"
	cp "$E2E_DIR/a/state/events" "$here/events" ||
		fail "the daemon writes no events"
}

# except PAGE FORM LINE: the number of a line of examples.except that has it; its
# FORM is "+" for a whole example that begins so, or "-" for a line
except() {
	PAGE=$1 FORM=$2 LINE=$3 awk '/^[^#]/ {
		text = substr($0, 1, index($0, " : ") - 1)
		page = $1
		form = $2
		sub(/^[^ ]* . */, "", text)
		line = ENVIRON["LINE"]
		sub(/^ */, "", line)
		if ((page == ENVIRON["PAGE"] || page == "*") &&
				form == ENVIRON["FORM"] &&
				index(line, text) == 1) {
			print NR
			exit
		}
	}' tests/e2e/examples.except | tee -a "$E2E_DIR/used"
}

# kept PAGE: of the example on stdin, the lines that are run
kept() {
	first=yes
	while IFS= read -r line; do
		[ -z "$first" ] || [ -z "$(except "$1" + "$line")" ] || return
		first=
		[ -n "$(except "$1" - "$line")" ] || printf '%s\n' "$line"
	done
}

# mentioned: the unit is the name of a command
mentioned() {
	[ "$(grep -c '' "$E2E_DIR/unit")" = 1 ] &&
		grep -qx 'heddlectl [a-z]*' "$E2E_DIR/unit"
}

# is_yaml: the unit is a configuration
is_yaml() {
	grep -qE '^[a-z]+:( |$)' "$E2E_DIR/unit"
}

# script: the unit as a shell script
script() {
	cat <<-EOT
		set -e
		cd '$here'
		trap 'kill \$(jobs -p) 2>/dev/null || :' EXIT
	EOT
	sed -e 's/^sudo //' -e "s|/etc/|$here&|g; s|/shared|$here&|g" \
		-e "s|/var/lib/node|$here&|; s/-c FILE/-c FILE.yaml/" \
		-e "s/\\<lab\\>/${IBSIM_SOCKNAME}l/g" "$E2E_DIR/unit"
}

# run_unit WHERE: run the unit; WHERE is its page and line
run_unit() {
	page=${1%:*}
	kept "$page" <"$E2E_DIR/block" >"$E2E_DIR/unit"
	grep -q '[^ ]' "$E2E_DIR/unit" || return
	if mentioned; then
		sed -i 's/heddlectl/& help/' "$E2E_DIR/unit"
	elif is_yaml; then
		cp "$E2E_DIR/unit" "$here/example.yaml"
		echo 'heddled -c example.yaml --check-config' >"$E2E_DIR/unit"
	fi
	n=$((n + 1))
	# some examples write to it
	cp "$E2E_DIR/net" "$here/FILE"
	script >"$E2E_DIR/script"
	# an example that waits for a change gets one
	! grep -q wait-generation "$E2E_DIR/unit" ||
		(sleep 1 && sim link leaf8/5 down) >/dev/null &
	timeout 60 bash "$E2E_DIR/script" >"$E2E_DIR/said" 2>&1 </dev/null
	rc=$?
	{
		echo "=== $1"
		sed 's/^/$ /' "$E2E_DIR/unit"
		cat "$E2E_DIR/said"
	} >>"$E2E_DIR/transcript"
	[ $rc = 0 ] || {
		say "FAIL: $1 ends with $rc:"
		sed 's/^/    /' "$E2E_DIR/unit"
		tail -n 5 "$E2E_DIR/said" | sed 's/^/    > /'
		wrong=$((wrong + 1))
	}
	tell a undrain spine1 >/dev/null 2>&1
}

all() {
	named >"$E2E_DIR/net"
	serve "$E2E_DIR/net"
	config a 5 <<-EOT
		health: {enabled: true, interval: 1s}
		record: {dir: $E2E_DIR/a/record}
	EOT
	daemon a h1
	rests a
	soon tell a routes node01 B >/dev/null 2>&1 || fail "no names"
	HEDDLE_SOCKET=$E2E_DIR/a/sock
	PATH=$E2E_DIR/bin:$PATH
	export HEDDLE_SOCKET PATH
	programs
	here
	: >"$E2E_DIR/used"
	n=0
	wrong=0
	awk -f tests/e2e/examples.awk README.md man/*.[578] >"$E2E_DIR/all"
	grep -n '^== ' "$E2E_DIR/all" >"$E2E_DIR/places"
	while IFS=: read -r line where; do
		sed -n "$((line + 1)),\$p" "$E2E_DIR/all" | sed '/^== /,$d' \
			>"$E2E_DIR/block"
		run_unit "${where#== }"
	done <"$E2E_DIR/places"
	grep -vn '^#' tests/e2e/examples.except | cut -d: -f1 |
		grep -vxFf "$E2E_DIR/used" >"$E2E_DIR/needless" &&
		fail "examples.except is not needed in lines" \
			"$(tr '\n' ' ' <"$E2E_DIR/needless")"
	[ -z "${E2E_TRANSCRIPT:-}" ] ||
		cp "$E2E_DIR/transcript" "$E2E_TRANSCRIPT"
	[ $wrong = 0 ] || fail "$wrong of $n examples"
	say "OK: $n examples"
}

E2E_NEEDS='ibnetdiscover dump_fts sminfo opensm jq'
e2e_init
trap halt_all EXIT
case ${1:-} in
all) all ;;
*) fail "usage: examples.sh all" ;;
esac
