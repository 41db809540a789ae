# usage: awk -f calls.awk except.txt INDEX
# Circles of calls among the .c files of one folder, by what index.awk printed.
# A line of except.txt is circle FILE FILE... : REASON: the files of one folder
# that may call each other.
function basedir(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}
FNR == 1 {
	nfile++
}
nfile == 1 {
	if ($1 == "circle")
		for (i = 2; i <= NF && $i != ":"; i++)
			party[$i] = FNR
	next
}
$1 == "def" && $5 == "export" {
	home[$4] = $2
}
$1 == "def" && $5 == "static" {
	local[$2, $4] = 1
}
$1 == "use" && $2 ~ /c$/ {
	from[++n] = $2
	what[n] = $4
}
END {
	for (i = 1; i <= n; i++) {
		a = from[i]
		b = home[what[i]]
		if ((a, what[i]) in local || b !~ /c$/ || a == b ||
				basedir(a) != basedir(b))
			continue
		if (!((a, b) in edge) || index(edge[a, b], " " what[i] " ") == 0)
			edge[a, b] = edge[a, b] " " what[i] " "
		inner[a] = inner[b] = 1
	}
	for (e in edge)
		reach[e] = 1
	for (m in inner)
		for (i in inner)
			if (basedir(i) == basedir(m) && (i, m) in reach)
				for (j in inner)
					if ((m, j) in reach)
						reach[i, j] = 1
	for (i in inner) {
		if (!((i, i) in reach))
			continue
		in_circle[i] = 1
		for (j in inner)
			if (i != j && (i, j) in edge && (j, i) in reach &&
					!(party[i] && party[i] == party[j]))
				printf "%s calls %s, which calls back: %s\n",
					i, j, edge[i, j]
	}
	for (f in party)
		if (!(f in in_circle))
			printf "tests/lint/except.txt:%d: %s is in no circle\n",
				party[f], f
}
