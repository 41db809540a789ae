#!/bin/sh
# Who may include whom: the layers of the house, a cycle among headers, and the
# one file that each foreign library is allowed in.
set -u
cd "$(dirname "$0")/../.." || exit 1

# Folder or file : what it may include. The first match counts; a * stands for
# anything. Layer by layer, from the bottom. distribution/push tells discovery's
# draft what switches acknowledged, the only word that goes back up the pipe.
RULES='
sm/base/* : sm/base/*
sm/mad/* : sm/base/* sm/mad/*
config/import/* : sm/base/* config/*
config/* : sm/base/* config/*
sm/transport/* : sm/base/* sm/mad/* sm/transport/*
discovery/builder/* : sm/base/* sm/mad/* discovery/topo.h discovery/builder/*
discovery/sweep/* : sm/base/* sm/mad/* sm/transport/xact.h config/schema.h discovery/topo.h discovery/builder/* discovery/sweep/*
discovery/text/* : sm/base/* sm/mad/* discovery/topo.h discovery/builder/builder.h discovery/text/*
discovery/topo_diff.c : sm/base/* discovery/* routing/updown/updown.h
discovery/* : sm/base/* sm/mad/* discovery/topo.h discovery/port_key.h
routing/core/* : sm/base/* discovery/topo.h config/schema.h routing/core/*
routing/verify/* : sm/base/* discovery/topo.h routing/core/* routing/verify/*
routing/graph/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/updown/updown.h
routing/tiers/* : sm/base/* discovery/topo* routing/core/* routing/graph/* routing/tiers/* routing/updown/updown.h routing/improve/redundancy.h
routing/updown/* : sm/base/* discovery/topo* routing/core/* routing/graph/* routing/tiers/tree.h routing/tiers/topo_class.h routing/updown/* routing/improve/redundancy.h
routing/improve/* : sm/base/* discovery/topo.h routing/core/* routing/graph/* routing/verify/verify.h routing/improve/*
routing/measure/* : sm/base/* discovery/topo.h routing/core/* routing/measure/*
routing/mcast/* : sm/base/* discovery/topo.h routing/core/* routing/mcast/*
routing/text/* : sm/base/* discovery/topo.h routing/core/* routing/text/*
routing/engines/ftree/* : sm/base/* discovery/topo.h config/schema.h routing/core/* routing/graph/* routing/tiers/* routing/updown/* routing/engines/ftree/*
routing/engines/updn/* : sm/base/* discovery/topo.h config/schema.h routing/core/* routing/graph/* routing/tiers/* routing/updown/* routing/engines/updn/*
routing/driver/* : sm/base/* discovery/topo.h config/schema.h routing/*
distribution/tables/* : sm/base/* sm/mad/* discovery/topo.h discovery/port_key.h routing/core/* distribution/tables/*
distribution/device/device_store.h : sm/base/* discovery/topo.h routing/core/* distribution/tables/* distribution/device/* distribution/transition/sl_history.h
distribution/device/* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h discovery/port_key.h routing/core/* distribution/tables/* distribution/device/*
distribution/transition/* : sm/base/* sm/mad/* discovery/topo.h routing/core/* routing/verify/cdg.h distribution/tables/* distribution/device/* distribution/transition/*
distribution/plan/* : sm/base/* sm/mad/* discovery/topo.h routing/core/* distribution/tables/* distribution/device/* distribution/transition/* distribution/plan/*
distribution/push/push.h : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h discovery/builder/builder.h distribution/*
distribution/push/* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/core/* routing/mcast/mcast.h distribution/*
sm/policy/roles.c : sm/base/* sm/mad/* sm/policy/* sm/core/sm_priv.h
sm/policy/jobs.c : sm/base/* config/* sm/policy/* sm/core/sm_priv.h
sm/policy/* : sm/base/* sm/mad/* config/* discovery/* routing/* distribution/* sm/policy/*
sm/state/* : sm/base/* config/* discovery/topo.h routing/core/* distribution/* sm/state/*
sm/view/* : sm/base/* config/* discovery/topo.h routing/* distribution/* sm/policy/* sm/view/*
sm/sa/* : sm/base/* sm/mad/* sm/transport/transport.h discovery/topo.h routing/core/* sm/view/* sm/sa/*
sm/report/groups_json.* : sm/base/* sm/core/sm_priv.h sm/core/sm.h sm/report/*
sm/report/status_json.* : sm/base/* sm/mad/* sm/transport/umad.h config/* discovery/* sm/policy/* sm/view/* sm/core/sm.h sm/ctl/ctl.h sm/report/*
sm/report/* : sm/base/* sm/mad/* config/* discovery/topo.h discovery/text/* routing/* distribution/* sm/policy/* sm/view/* sm/sa/sa.h sm/report/*
sm/ctl/* : sm/base/* sm/view/* sm/report/* sm/ctl/*
sm/what_if/* : sm/base/* sm/mad/* config/* discovery/* routing/* distribution/* sm/policy/* sm/state/* sm/view/* sm/report/* sm/ctl/client.h sm/what_if/*
sm/audit/* : sm/base/* sm/mad/* sm/transport/* config/config.h discovery/* routing/* distribution/* sm/policy/jobs.h sm/report/* sm/what_if/* sm/audit/*
sm/core/* : sm/base/* sm/mad/* sm/transport/transport.h sm/transport/xact.h config/* discovery/* routing/* distribution/* sm/policy/* sm/state/* sm/view/* sm/sa/* sm/core/*
sm/* : sm/* discovery/* routing/* distribution/* config/*
tests/* : *
'

# Header of a foreign library : the only file outside tests that includes it.
FOREIGN='
ev.h : sm/base/loop.c
yaml.h : config/yaml.c
infiniband/umad.h : sm/transport/umad.c
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
	awk -v rules="$RULES" -v foreign="$FOREIGN" '
	function glob(pattern) {
		gsub(/\./, "[.]", pattern)
		gsub(/\*/, ".*", pattern)
		return "^" pattern "$"
	}
	function allowed(from, to,    i, k, n, part, may) {
		for (i = 1; i <= nrules; i++) {
			if (split(rule[i], part, " : ") != 2)
				continue
			if (from !~ glob(part[1]))
				continue
			n = split(part[2], may, " ")
			for (k = 1; k <= n; k++)
				if (to ~ glob(may[k]))
					return 1
			return 0
		}
		return 0
	}
	BEGIN {
		nrules = split(rules, rule, "\n")
		n = split(foreign, line, "\n")
		for (i = 1; i <= n; i++)
			if (split(line[i], part, " : ") == 2)
				owner[part[1]] = part[2]
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
