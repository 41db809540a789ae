# usage: awk -f members.awk file=1 PAGE file=2 RARE file=3 PRINTED
# Compares the members that heddlectl-json(5), PAGE, lists with those PRINTED by
# programs, lines "ANSWER<TAB>path". RARE has members that no test sees, lines
# "ANSWER path : why"; "*" in a path of it stands for anything. What differs is
# printed; then the exit status is 1.
function item(macros,    n, f, i, name, ref) {
	n = split(macros, f, " ")
	for (i = 1; i <= n; i++) {
		if (f[i] == "Sx")
			ref = f[++i]
		else if (f[i] !~ /^(Li|Pq|,)$/)
			name = name " " f[i]
	}
	# without a name: all members of the object
	count[section]++
	listed[section, count[section]] = name == "" ? " " : name
	object[section, count[section]] = ref
}

# note(PATH, ORIGIN): the page has it, by that line of it
function note(path, origin) {
	known[path] = 1
	by[path] = by[path] origin "\n"
	if (path ~ /\*/)
		stars[path] = 1
}

# expand(ANSWER, PREFIX, SECTION): note the paths of a section below a prefix
function expand(answer, prefix, section,    i, k, n, f, path) {
	if (!(section in count))
		complain("no section " section ", named by " answer)
	for (i = 1; i <= count[section]; i++) {
		n = split(listed[section, i], f, " ")
		if (n == 0)
			expand(answer, prefix, object[section, i])
		for (k = 1; k <= n; k++) {
			path = prefix f[k]
			origins[section " " f[k]] = 1
			note(answer "\t" path, section " " f[k])
			if (object[section, i] != "")
				expand(answer, path ".", object[section, i])
		}
	}
}

# see(PATH): it is printed, and so are the objects and lists around it
function see(path,    i, n, f) {
	do {
		n = split(by[path], f, "\n")
		for (i = 1; i < n; i++)
			seen[f[i]] = 1
	} while (sub(/(\[\]|\.[^.\t]*)$/, "", path))
}

function complain(text) {
	print text
	wrong = 1
}

# parents(PATH): the objects and lists on the way to it, which may be null
function parents(path) {
	while (sub(/(\[\]|\.[^.\t]*)$/, "", path))
		inner[path] = 1
}

file == 1 && /^\.Sh / { part = $2 }
file == 1 && /^\.Ss / { section = substr($0, 5); if (part == "ANSWERS") answers[section] = 1 }
file == 1 && (part == "ANSWERS" || part == "OBJECTS") {
	if (/^\.It Xo/)
		open = " "
	else if (/^\.Xc/) {
		item(open)
		open = ""
	} else if (open != "")
		open = open " " substr($0, 2)
	else if (/^\.It/)
		item(substr($0, 5))
}

file == 2 && /^[^#]/ {
	i = index($0, " : ")
	if (i == 0)
		complain("RARE: no reason: " $0)
	rare[++rares] = substr($0, 1, i - 1)
}

# Most names are printed as they are listed; others match a "*".
file == 3 { printed[$0] = 1 }

END {
	for (section in answers)
		expand(section, "", section)
	for (path in known)
		parents(path)
	for (path in printed) {
		found = path in known || path in inner || path ~ /\t$/
		if (found)
			see(path)
		for (star in stars) {
			pattern = star
			gsub(/[][.]/, "\\\\&", pattern)
			gsub(/\*/, "[^.]*", pattern)
			if (path ~ "^" pattern "$") {
				found = 1
				see(star)
			}
		}
		if (!found)
			complain("printed, and not in the page: " path)
	}
	for (i = 1; i <= rares; i++)
		if (rare[i] in seen || !(rare[i] in origins))
			complain("RARE, and not needed: " rare[i])
		else
			seen[rare[i]] = 1
	for (origin in origins)
		if (!(origin in seen))
			complain("in the page, and not printed: " origin)
	exit wrong
}
