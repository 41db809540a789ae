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
config/* : sm/base/* config/*
sm/transport/* : sm/base/* sm/mad/* sm/transport/*
discovery/topo.* : sm/base/* sm/mad/* discovery/topo*
discovery/* : sm/base/* sm/mad/* sm/transport/xact.h config/schema.h discovery/*
routing/* : sm/base/* discovery/topo.h config/schema.h routing/*
distribution/push* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h discovery/draft.h routing/routes.h routing/lft.h routing/levels.h distribution/*
distribution/mft* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/mcast.h distribution/*
distribution/check* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/routes.h routing/lft.h distribution/*
distribution/ptable_read* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h distribution/*
distribution/readback* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/routes.h routing/lft.h distribution/*
distribution/scan* : sm/base/* sm/mad/* sm/transport/xact.h discovery/topo.h routing/routes.h routing/lft.h distribution/*
distribution/* : sm/base/* sm/mad/* discovery/topo.h routing/routes.h routing/lft.h routing/levels.h distribution/*
sm/sa/* : sm/base/* sm/mad/* sm/transport/transport.h sm/view.h sm/partition.h sm/lanes.h discovery/topo.h routing/routes.h sm/sa/*
sm/partition.* sm/lanes.* : sm/view.h sm/pkeys.h sm/qos.h discovery/topo.h sm/partition.h sm/lanes.h config/partition.h config/qos.h
sm/ctl/heddlectl.c : sm/base/* sm/ctl/* sm/version.h sm/forecast/planner.h config/import.h
sm/audit/* : sm/base/* sm/mad/* sm/transport/* sm/task.h sm/ctl/census.h sm/ctl/member.h sm/ctl/words.h sm/forecast/* config/config.h discovery/* routing/* distribution/* sm/audit/*
sm/ctl/* : sm/base/* sm/mad/* sm/transport/transport.h sm/view.h sm/partition.h sm/lanes.h sm/homes.h sm/version.h discovery/topo.h discovery/text.h routing/routes.h routing/tree.h routing/homing.h distribution/expect.h sm/ctl/*
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
