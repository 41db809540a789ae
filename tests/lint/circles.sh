#!/bin/sh
# usage: circles.sh OBJECT...
# No circle of calls between folders: which folder defines the symbols, code or
# data, that the objects of another one leave undefined. Two folders that need
# each other are one folder, or something lives in the wrong one.
set -u
# shellcheck disable=SC2016
nm -A -g "$@" | awk '
	# path/file.o:ADDRESS TYPE NAME, or path/file.o:   U NAME
	{
		folder = $1
		sub(/:.*/, "", folder)
		sub(/.*\/obj\//, "", folder)
		sub(/\/[^\/]*$/, "", folder)
		name = $NF
		if ($(NF - 1) == "U")
			needs[folder, name] = 1
		else
			home[name] = home[name] ? home[name] : folder
	}
	END {
		for (pair in needs) {
			split(pair, p, SUBSEP)
			to = home[p[2]]
			if (to != "" && to != p[1]) {
				edge[p[1], to] = edge[p[1], to] " " p[2]
				folders[p[1]] = folders[to] = 1
			}
		}
		# what each folder reaches
		for (e in edge)
			reach[e] = 1
		for (k in folders)
			for (i in folders)
				if ((i, k) in reach)
					for (j in folders)
						if ((k, j) in reach)
							reach[i, j] = 1
		for (e in edge) {
			split(e, p, SUBSEP)
			if ((p[2], p[1]) in reach) {
				printf "%s -> %s:%s\n", p[1], p[2], edge[e]
				bad = 1
			}
		}
		exit bad
	}' | sort | awk '
	NR == 1 { print "folders that call each other in a circle, by these symbols:" }
	{ print "    " $0; bad = 1 }
	END { exit bad }'
