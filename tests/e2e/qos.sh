#!/bin/sh
# usage: qos.sh FABRIC
# QoS levels on heddle-sim, read with the standard tools: opensm -Q with some
# tables, then heddled with heddlectl's import of the same file. smpquery reads
# both fabrics: every SL must be on the same VL everywhere. saquery shows the
# tables that smpquery shows, and paths of the right level.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

SOME='h1|h7|leaf1|leaf8|spine1' # nodes read one by one

opensm_conf() {
	cat >"$E2E_DIR/opensm.conf" <<-'EOT'
		force_log_flush TRUE
		qos TRUE
		qos_high_limit 4
		qos_vlarb_high 2:32
		qos_vlarb_low 0:64,1:128
		qos_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0
	EOT
}

heddle_conf() {
	# 1: not all of it can be carried over, and it says what
	E2E_CONF_MORE=$("$B/heddlectl" import "$E2E_DIR/opensm.conf" \
		2>"$E2E_DIR/lost")
	[ $? -le 1 ] || fail "no import: $(cat "$E2E_DIR/lost")"
	E2E_CONF_MORE="$E2E_CONF_MORE
  rules:
    iser: {level: sl1, services: [iser]}
    seven: {level: sl2, classes: [7]}
sa: {trust_key: 0x1}"
	sm_config
}

# sm_up MANAGER: run that subnet manager on h1, until every link is up
sm_up() {
	if [ "$1" = opensm ]; then
		set -- opensm -Q -F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/sm.log"
	else
		set -- "$B/heddled" -c "$E2E_CONF"
	fi
	sm_launch "$@"
	soon paths || fail "$1: no paths"
}

paths() {
	gone "$E2E_SM_PID" && fail "it ended"
	on h7 saquery -t 1000 NR >"$E2E_DIR/nodes" 2>/dev/null
	[ "$(grep -c "NodeRecord dump" "$E2E_DIR/nodes")" = "$NODES" ] &&
		on h7 saquery -t 1000 --src-to-dst h7:h1 >/dev/null 2>&1
}

# tables MANAGER: SL2VL and arbitration of some nodes, by name and port
tables() {
	: >"$E2E_DIR/$1.sl2vl"
	: >"$E2E_DIR/$1.vlarb"
	on h7 saquery --smkey 1 NR 2>/dev/null | awk '
		/^\t\tlid\./ { sub(/.*\./, ""); lid = $0 }
		/^\t\tnode_type\./ { sw = /Switch/ }
		/^\t\tNodeDescription\./ {
			sub(/.*\.\.+/, ""); print lid, sw, $0 }' |
		grep -E " ($SOME)$" | sort -u >"$E2E_DIR/$1.nodes"
	while read -r t_lid t_switch t_name; do
		t_list=1
		[ "$t_switch" = 0 ] || t_list=$(net_ports "$t_name")
		for t_port in $t_list; do
			on h7 smpquery sl2vl "$t_lid" "$t_port" 2>&1 |
				sed -n "s/^ports: */$t_name $t_port /p" \
				>>"$E2E_DIR/$1.sl2vl"
			on h7 smpquery vlarb "$t_lid" "$t_port" 2>&1 |
				sed -n "s/^\(VL \|WEIGHT\) *:/$t_name $t_port \1/p" \
				>>"$E2E_DIR/$1.vlarb"
		done
	done <"$E2E_DIR/$1.nodes"
	[ -s "$E2E_DIR/$1.sl2vl" ] || fail "$1: no SL2VL"
}

# net_ports NAME: the ports of a switch with links
net_ports() {
	awk -v name="\"$1\"" '
		/^Switch/ { on = index($0, name) > 0 }
		/^(Ca|Hca|Rt)/ { on = 0 }
		on && /^\[/ { sub(/^\[/, ""); sub(/\].*/, ""); print }' \
		"$E2E_DIR/fabric.net"
}

# Rows of SL2VL in use, by name: a port without a link has no packets.
rows() {
	sort "$E2E_DIR/$1.sl2vl" | while read -r r_name r_port r_rest; do
		r_in=$(echo "$r_rest" | sed 's/.*in *\([0-9]*\).*/\1/')
		[ "$r_in" = "$r_port" ] && continue
		case " 0 $(net_ports "$r_name" | tr '\n' ' ')" in
		*" $r_in "*) echo "$r_name $r_port $r_rest" ;;
		esac
	done
}

# opensm_done: it maps SLs by the operational VLs at the time of reading: one VL
# in the first sweep, more in the next
opensm_done() {
	tables opensm
	rows opensm >"$E2E_DIR/opensm.rows"
	grep -qv ': | 0| 1| 2|' "$E2E_DIR/opensm.rows" || return 0
	kill -HUP "$E2E_SM_PID"
	return 1
}

# weights NAME PORT LINE: "vl=weight" of VLs with a weight, summed up
weights() {
	grep "^$1 $2 " "$E2E_DIR/heddled.vlarb" | awk -F'|' -v want="$3" '
		/ VL / { for (i = 2; i < NF; i++) vl[i] = $i; block++; next }
		block == want { for (i = 2; i < NF; i++) if (hex($i) > 0)
			sum[hex(vl[i])] += hex($i) }
		function hex(s,    n, k) {
			gsub(/[ \t]|0x/, "", s)
			s = tolower(s)
			for (k = 1; k <= length(s); k++)
				n = n * 16 + index("0123456789abcdef",
					substr(s, k, 1)) - 1
			return n
		}
		END { for (v = 0; v < 16; v++) if (v in sum)
			printf "%d=%d ", v, sum[v] }'
}

# sl_of WORDS...: the SL of the path that saquery gets
sl_of() {
	on h7 saquery "$@" 2>&1 |
		sed -n 's/.*sl\.*\(0x[0-9a-f]*\|[0-9]*\)$/\1/p' | head -n 1
}

paths_have_levels() {
	lid=$(on h7 ibstat | sed -n 's/.*Base lid: //p')
	for q in ": 0x0" "--service_id 0x1060cbc: 0x1" "--qos_class 7: 0x2" \
		"--qos_class 8: 0x0"; do
		# shellcheck disable=SC2086
		is=$(sl_of PR --slid "$lid" --dlid 1 ${q%:*})
		[ $((is)) = $((${q#*: })) ] ||
			fail "a path '${q%:*}' has SL $is, not ${q#*: }"
	done
	# and in the other direction
	is=$(sl_of PR --slid 1 --dlid "$lid" --qos_class 7)
	[ $((is)) = 2 ] || fail "the way back has SL $is"
}

# saquery's records are the tables that smpquery reads
records() {
	on h7 saquery --smkey 1 SL2VL >"$E2E_DIR/SL2VL" 2>&1 ||
		fail "SL2VL: $(cat "$E2E_DIR/SL2VL")"
	on h7 saquery --smkey 1 VLAR >"$E2E_DIR/VLAR" 2>&1 ||
		fail "VLAR: $(cat "$E2E_DIR/VLAR")"
	n=$(grep -c 'dump' "$E2E_DIR/SL2VL")
	[ "$n" -gt "$NODES" ] || fail "$n SL2VL records"
	if grep 'VL: ' "$E2E_DIR/SL2VL" | grep -v 'SL: ' |
		grep -qv 'VL: 0| 1| 2| 0| 0| 0| 0|'; then
		fail "SL2VL: other rows: $(head -n 5 "$E2E_DIR/SL2VL")"
	fi
	[ "$(grep -c dump "$E2E_DIR/VLAR")" -ge "$NODES" ] ||
		fail "few VLArb records"
}

main() {
	e2e_init
	E2E_SO=$B/libheddle-umad.so
	fabric "$1" "$E2E_DIR/fabric.net"
	NODES=$(awk '$1 ~ /^(Switch|Ca|Rt)$/' "$E2E_DIR/fabric.net" |
		grep -c '')
	opensm_conf
	serve "$E2E_DIR/fabric.net"
	sm_up opensm
	soon opensm_done || fail "opensm: no levels"
	sm_stop
	unserve
	serve "$E2E_DIR/fabric.net"
	heddle_conf
	sm_up heddled
	rest
	tables heddled
	rows heddled >"$E2E_DIR/heddled.rows"
	diff "$E2E_DIR/opensm.rows" "$E2E_DIR/heddled.rows" >"$E2E_DIR/diff" ||
		fail "other VLs: $(head -n 6 "$E2E_DIR/diff")"
	say "SL2VL: $(grep -c '' "$E2E_DIR/heddled.rows") rows as opensm's"
	is=$(weights h7 1 1)
	case $is in
	"0=64 1=128 "*) ;;
	*) fail "weights of h7: $is" ;;
	esac
	is=$(weights h7 1 2)
	[ "$is" = "2=64 " ] || fail "high weights of h7: $is"
	paths_have_levels
	records
	[ "$(status_get qos.levels.1.name)" = '"sl1"' ] ||
		[ "$(status_get qos.levels.1.name)" = sl1 ] ||
		fail "status: $(status_get qos.levels.1.name)"
	[ "$(status_get qos.missing)" = 0 ] ||
		fail "$(status_get qos.missing) ports have not their tables"
	sm_stop
	unserve
	say "PASS"
}

main "${1:-demo}"
