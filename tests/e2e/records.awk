# Two SMs' answers, field by field.
# usage: awk -v rec=NAME -v rules=FILE -v used=FILE -f records.awk OURS THEIRS
# Input lines: "record-key field=value", several of one field allowed. A field
# that differs needs a rule: "VERDICT PATTERN : WHY", where the pattern is
# matched with "record-key field=" and the verdict is on ours: better, other (as
# good) or worse. Prints a line of the table, then the rules that counted, then
# differences without a rule; rules that counted are appended to `used`.
BEGIN {
	while ((getline line < rules) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		at = index(line, " : ")
		if (at == 0) {
			print "no reason: " line
			exit(2)
		}
		why[++n] = substr(line, at + 3)
		head = substr(line, 1, at - 1)
		verdict[n] = head
		sub(/ .*/, "", verdict[n])
		pattern[n] = head
		sub(/^[a-z]+ +/, "", pattern[n])
		if (verdict[n] !~ /^(better|other|worse)$/) {
			print "no verdict: " line
			exit(2)
		}
	}
}

{
	at = index($0, "=")
	id = substr($0, 1, at)
	value = substr($0, at + 1)
	seen[id] = 1
	if (FILENAME == ARGV[1])
		ours[id] = ours[id] "|" value
	else
		theirs[id] = theirs[id] "|" value
}

# The first rule for a field, or 0.
function rule_of(id,    i) {
	for (i = 1; i <= n; i++)
		if (id ~ pattern[i])
			return i
	return 0
}

END {
	for (id in seen) {
		total++
		if ((id in ours) && (id in theirs) && ours[id] == theirs[id]) {
			equal++
			continue
		}
		r = rule_of(id)
		if (r == 0) {
			bad++
			if (bad <= 10)
				left[bad] = id "\n\t\tours   " \
					substr(ours[id], 2, 100) \
					"\n\t\ttheirs " substr(theirs[id], 2, 100)
			continue
		}
		count[r]++
		sum[verdict[r]]++
	}
	printf("%-8s %7d %7d %7d %7d %7d %7d\n", rec, total, equal,
		sum["better"], sum["other"], sum["worse"], bad)
	for (i = 1; i <= n; i++)
		if (count[i] > 0) {
			printf("\t%s %d: %s\n", verdict[i], count[i], why[i])
			print i >> used
		}
	for (i = 1; i <= bad && i <= 10; i++)
		print "\tUNEXPLAINED " left[i]
	exit(bad > 0)
}
