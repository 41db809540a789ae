# Differences between two managers' Sets, grouped, each with its reason.
# usage: heddle-setdiff ... | awk -v kind=KIND -v rules=FILE -v used=FILE -f sets.awk
# A group is "KIND/Attribute.field class: heddled VALUE, opensm VALUE". A rule is
# "VERDICT PATTERN : WHY", the pattern matched with the group's text, the verdict
# on heddled's side of it: better, other (as good) or worse. Prints the numbers
# of Sets, every group with the number of ports, one of these and the reason,
# then those that have none; rules that counted are appended to `used`.
BEGIN {
	FS = "\t"
	while ((getline line < rules) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		at = index(line, " : ")
		if (at == 0) {
			print "no reason: " line
			failed = 2
			exit
		}
		why[++n] = substr(line, at + 3)
		head = substr(line, 1, at - 1)
		verdict[n] = head
		sub(/ .*/, "", verdict[n])
		pattern[n] = head
		sub(/^[a-z]+ +/, "", pattern[n])
		if (verdict[n] !~ /^(better|other|worse)$/) {
			print "no verdict: " line
			failed = 2
			exit
		}
	}
	printf "%s\n", kind
}

/^#/ {
	printf "\t%-28s heddled %6d, opensm %6d Sets\n", substr($1, 3), $2, $3
	next
}

{
	group = kind "/" $1 ": heddled " $2 ", opensm " $3
	if (!(group in count)) {
		order[++groups] = group
		place[group] = $4
	}
	count[group]++
}

# The first rule for a group, or 0.
function rule_of(group,    i) {
	for (i = 1; i <= n; i++)
		if (group ~ pattern[i])
			return i
	return 0
}

END {
	if (failed)
		exit failed
	for (i = 1; i <= groups; i++) {
		g = order[i]
		r = rule_of(g)
		text = sprintf("%s x %d (%s)", g, count[g], place[g])
		if (r == 0) {
			left[++bad] = text
			continue
		}
		print "\t" text "\n\t\t" verdict[r] ": " why[r]
		worse += verdict[r] == "worse"
		if (!(r in said)) {
			said[r] = 1
			print r >> used
		}
	}
	for (i = 1; i <= bad; i++)
		print "\tUNEXPLAINED " left[i]
	printf "%s: %d differences, %d of them worse, %d without a reason\n",
		kind, groups, worse, bad
	exit(bad > 0)
}
