# usage: awk -f exports.awk except.txt INDEX
# Exported functions and data that no other file of the product uses, by what
# index.awk printed. A line of except.txt is export NAME : REASON;
# NAME_* stands for every name that begins like that.
FNR == 1 {
	nfile++
}
nfile == 1 {
	if ($1 == "export") {
		except[$2] = FNR
		if ($2 ~ /[*]$/)
			family[$2] = substr($2, 1, length($2) - 1)
	}
	next
}
$1 == "def" && $5 == "export" {
	home[$4] = $2
	line[$4] = $3
}
$1 == "def" && $5 == "static" {
	local[$2, $4] = 1
}
$1 == "use" {
	from[++n] = $2
	what[n] = $4
}
# The exception for a name, or for a family NAME_*, "" if there is none.
function excused(name,    f) {
	if (name in except)
		return name
	for (f in family)
		if (index(name, family[f]) == 1)
			return f
	return ""
}
END {
	for (i = 1; i <= n; i++)
		if (!((from[i], what[i]) in local) && from[i] != home[what[i]])
			used[what[i]] = 1
	for (name in home) {
		if (name == "main" || name in used) {
			if (name in except)
				printf "tests/lint/except.txt:%d: %s has a caller\n",
					except[name], name
		} else if ((e = excused(name)) != "")
			needed[e] = 1
		else
			printf "%s:%d: %s has no caller in another file of the product\n",
				home[name], line[name], name
	}
	for (name in except)
		if (!(name in needed) && !(name in used && name in home))
			printf "tests/lint/except.txt:%d: %s is not exported\n",
				except[name], name
}
