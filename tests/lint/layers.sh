#!/bin/sh
# Who may include whom: the layers of the house, a cycle among headers, the
# private headers, and the one file that each foreign library is allowed in.
set -u
cd "$(dirname "$0")/../.." || exit 1

# Folder or file : what it may include. The first match counts; a * stands for
# anything, OWN for the folder of the file itself: no engine includes another.
# Layer by layer, from the bottom.
RULES='
sm/base/* : sm/base/*
sm/mad/* : sm/base/* sm/mad/*
sm/event/* : sm/base/* sm/event/*
config/import/* : sm/base/* sm/mad/port_values.h config/*
config/* : sm/base/* sm/mad/port_values.h config/*
sm/transport/* : sm/base/* sm/mad/* sm/transport/*
discovery/builder/* : sm/base/* sm/mad/* discovery/topo.h discovery/builder/*
discovery/sweep/* : sm/base/* sm/mad/* sm/transport/keyring.h sm/transport/xact.h config/schema.h discovery/topo.h discovery/builder/* discovery/sweep/*
discovery/text/* : sm/base/* sm/mad/* discovery/topo.h discovery/builder/builder.h discovery/text/*
discovery/* : sm/base/* sm/mad/mad.h sm/mad/port_values.h discovery/topo.h discovery/topo_diff.h discovery/topo_match.h discovery/dest_lids.h discovery/link_rate.h discovery/port_key.h
routing/core/* : sm/base/* discovery/topo.h discovery/topo_match.h discovery/dest_lids.h config/schema.h routing/core/*
routing/verify/* : sm/base/* discovery/topo.h discovery/topo_match.h discovery/dest_lids.h routing/core/* routing/verify/*
routing/graph/* : sm/base/* discovery/topo.h discovery/topo_diff.h routing/core/* routing/graph/*
routing/tiers/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/tiers/*
routing/updown/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/tiers/tree.h routing/tiers/topo_class.h routing/updown/*
routing/improve/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/verify/verify.h routing/improve/*
routing/adaptive/* : sm/base/* discovery/topo.h discovery/topo_match.h discovery/dest_lids.h routing/core/* routing/verify/dest_scan.h routing/adaptive/*
routing/measure/* : sm/base/* discovery/topo.h routing/core/* routing/measure/*
routing/mcast/* : sm/base/* discovery/topo.h routing/core/* routing/verify/dep_graph.h routing/verify/dynamic_order.h routing/mcast/*
routing/text/* : sm/base/* discovery/topo.h routing/core/* routing/text/*
routing/climb/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/climb/*
routing/engines/* : sm/base/* discovery/topo.h config/schema.h routing/core/* routing/graph/* routing/climb/* routing/tiers/tree.h routing/tiers/topo_class.h routing/updown/updown.h routing/updown/updown_state.h OWN/*
routing/driver/* : sm/base/* discovery/topo.h config/schema.h routing/core/* routing/verify/verify.h routing/verify/sets_order.h routing/verify/verify_sets.h routing/adaptive/* routing/graph/multi_port_node.h routing/tiers/tree.h routing/tiers/topo_class.h routing/improve/* routing/mcast/mcast_order.h routing/measure/bandwidth.h routing/engines/* routing/driver/*
distribution/tables/* : sm/base/* sm/mad/* discovery/topo.h discovery/port_key.h routing/core/route_sets.h routing/core/slvl.h distribution/tables/*
distribution/device/* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h discovery/port_key.h routing/core/lft.h routing/core/route_sets.h distribution/tables/* distribution/device/*
distribution/transition/* : sm/base/* sm/mad/* discovery/topo.h routing/core/* routing/verify/dep_cycle.h routing/verify/dep_graph.h routing/verify/dynamic_order.h routing/mcast/mcast_order.h distribution/tables/* distribution/device/adaptive_can.h distribution/device/device_store.h distribution/transition/*
distribution/plan/* : sm/base/* sm/mad/* discovery/topo.h routing/core/* routing/verify/verify_sets.h distribution/tables/* distribution/device/adaptive_can.h distribution/device/device_store.h distribution/device/device_keys.h distribution/transition/transition.h distribution/plan/*
distribution/push/* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/mcast/mcast.h distribution/tables/* distribution/device/* distribution/plan/plan.h distribution/push/*
sm/policy/* : sm/base/* sm/mad/mad_role.h config/* discovery/topo.h routing/core/* distribution/tables/* distribution/device/device_store.h distribution/device/device_keys.h sm/policy/*
sm/state/* : sm/base/* sm/event/event_time.h sm/mad/port_values.h routing/core/routes.h sm/state/*
sm/view/* : sm/base/* sm/event/* config/* discovery/topo.h discovery/port_key.h discovery/link_rate.h routing/core/* routing/mcast/mcast.h routing/improve/redundancy.h routing/graph/multi_port_node.h routing/driver/* distribution/transition/loss_estimate.h sm/policy/* sm/view/*
sm/health/* : sm/base/* sm/mad/* sm/transport/transport.h discovery/topo.h discovery/link_rate.h sm/health/*
sm/cabling/* : sm/base/* sm/event/event.h sm/mad/port_values.h config/config.h discovery/topo.h discovery/link_rate.h discovery/text/* sm/view/drains.h sm/cabling/*
sm/sa/* : sm/base/* sm/mad/* sm/transport/transport.h discovery/topo.h discovery/link_rate.h routing/core/* sm/view/* sm/sa/*
sm/report/* : sm/base/* sm/event/* sm/mad/* sm/transport/xact.h config/* discovery/topo.h discovery/link_rate.h discovery/text/* routing/* distribution/* sm/policy/* sm/view/* sm/sa/sa.h sm/health/* sm/cabling/* sm/report/*
sm/ctl/* : sm/base/* sm/view/* sm/report/* sm/ctl/*
sm/what_if/* : sm/base/* sm/mad/* config/* discovery/* routing/* distribution/* sm/policy/* sm/state/* sm/view/* sm/report/* sm/ctl/client.h sm/what_if/*
sm/audit/* : sm/base/* sm/mad/* sm/transport/* config/config.h discovery/* routing/* distribution/* sm/policy/jobs.h sm/report/* sm/what_if/* sm/audit/*
sm/core/* : sm/base/* sm/event/* sm/mad/* sm/transport/transport.h sm/transport/keyring.h sm/transport/xact.h config/* discovery/builder/builder.h discovery/sweep/path_probe.h discovery/sweep/sweep.h discovery/topo.h discovery/port_key.h routing/core/layer_memory.h routing/core/lid.h routing/core/routes.h routing/driver/* routing/mcast/mcast.h routing/tiers/topo_class.h routing/tiers/tree.h distribution/* sm/policy/* sm/state/* sm/view/* sm/sa/sa.h sm/health/* sm/report/sm_status.h sm/core/*
sm/record/* : sm/base/* sm/mad/* sm/transport/transport.h config/config.h sm/state/state_file.h sm/core/sm.h sm/core/sm_input.h sm/record/*
sm/* : sm/* discovery/* routing/* distribution/* config/*
tests/* : *
'

# Header of a foreign library : the only file outside tests that includes it.
FOREIGN='
ev.h : sm/base/loop.c
yaml.h : config/yaml.c
infiniband/umad.h : sm/transport/umad.c
zlib.h : sm/report/packed_json.c
'

# Private header : which files outside tests/unit include it, the parts of one
# module. Every header called _priv.h or _int.h is listed.
PRIVATE='
config/config_priv.h : config/config.c config/config_describe.c
config/import/import_priv.h : config/import/*
discovery/builder/builder_priv.h : discovery/builder/* discovery/sweep/sweep_priv.h
discovery/sweep/sweep_priv.h : discovery/sweep/*
distribution/device/device_priv.h : distribution/device/device_store.c distribution/device/device_cache.c distribution/device/device_lft.c
distribution/plan/plan_priv.h : distribution/plan/*
distribution/push/mft_priv.h : distribution/push/mft*
distribution/push/push_priv.h : distribution/push/push*
distribution/transition/loss_estimate_priv.h : distribution/transition/loss_*
distribution/transition/transition_priv.h : distribution/transition/*
routing/improve/disjoint_priv.h : routing/improve/disjoint*
routing/tiers/tree_priv.h : routing/tiers/*
routing/updown/down_path_priv.h : routing/updown/*
routing/updown/keep_priv.h : routing/updown/*
routing/updown/row_priv.h : routing/updown/*
routing/climb/climb_priv.h : routing/climb/*
routing/climb/repair_priv.h : routing/climb/repair* routing/climb/climb_re*
sm/core/sm_priv.h : sm/core/*
sm/sa/sa_priv.h : sm/sa/*
sm/state/state_file_priv.h : sm/state/state_*
tests/sim/chaos/chaos_int.h : tests/sim/chaos/*
tests/sim/data/data_int.h : tests/sim/data/*
tests/sim/model/sim_int.h : tests/sim/model/* tests/sim/data/* tests/sim/referee/* tests/sim/serve/*
tests/sim/referee/referee_int.h : tests/sim/referee/referee*
tests/sim/referee/watch_int.h : tests/sim/referee/watch*
tests/sim/serve/serve_int.h : tests/sim/serve/serve*
tests/sim/serve/umadserve_int.h : tests/sim/serve/umadserve*
'

files() {
	git ls-files --cached --others --exclude-standard '*.c' '*.h'
}

edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
# shellcheck disable=SC2016
files | xargs awk '
	/^[ \t]*#[ \t]*include[ \t]*["<]/ {
		split($0, q, /["<>]/)
		print FILENAME, FNR, (/</ ? "<" : "\""), q[2]
	}' >"$edges"

bad=$(
	awk -v rules="$RULES" -v foreign="$FOREIGN" -v private="$PRIVATE" '
	function glob(pattern) {
		gsub(/\./, "[.]", pattern)
		gsub(/\*/, ".*", pattern)
		return "^" pattern "$"
	}
	function matches(path, globs,    k, n, may) {
		n = split(globs, may, " ")
		for (k = 1; k <= n; k++)
			if (path ~ glob(may[k]))
				return 1
		return 0
	}
	function allowed(from, to,    i, part, own) {
		own = from
		sub(/\/[^\/]*$/, "", own)
		for (i = 1; i <= nrules; i++) {
			if (split(rule[i], part, " : ") != 2)
				continue
			if (from !~ glob(part[1]))
				continue
			gsub(/OWN/, own, part[2])
			return matches(to, part[2])
		}
		return 0
	}
	BEGIN {
		nrules = split(rules, rule, "\n")
		n = split(foreign, line, "\n")
		for (i = 1; i <= n; i++)
			if (split(line[i], part, " : ") == 2)
				owner[part[1]] = part[2]
		n = split(private, line, "\n")
		for (i = 1; i <= n; i++)
			if (split(line[i], part, " : ") == 2)
				parts[part[1]] = part[2]
	}
	$3 == "<" && ($4 in owner) && $1 != owner[$4] && $1 !~ /^tests\// {
		print $1 ":" $2 ": <" $4 "> belongs to " owner[$4] " alone"
	}
	$3 == "\"" && $4 !~ /\// && system("test -e " $4) {
		print $1 ":" $2 ": include \"" $4 "\" by its full path"
		next
	}
	$3 == "\"" && $4 ~ /^tests\// && $1 !~ /^tests\// {
		print $1 ":" $2 ": nothing may include tests"
		next
	}
	$4 ~ /_(priv|int)[.]h$/ && $1 !~ /^tests\/unit\// &&
			!matches($1, parts[$4]) {
		print $1 ":" $2 ": " $4 " is private to " \
			($4 in parts ? parts[$4] : "no file yet: list it in layers.sh")
	}
	$3 == "\"" && !allowed($1, $4) {
		print $1 ":" $2 ": may not include " $4
	}' "$edges"
	awk '$1 ~ /\.h$/ && $3 == "\"" { print $1, $4 }' "$edges" |
		tsort 2>&1 >/dev/null |
		sed 's/^tsort: -: input contains a loop:/headers include each other:/
			s/^tsort: /    /'
)
if [ -n "$bad" ]; then
	printf '%s\n' "$bad"
	exit 1
fi
