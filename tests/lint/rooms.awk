# usage: awk -f rooms.awk FILE...
# Each folder of the product has one header, or main.c, whose essay says what
# the folder is for: "Folder NAME: role. Callers: who. Read next: what."
function basedir(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}
FNR == 1 {
	dir = basedir(FILENAME)
	folders[dir] = 1
	essay = 1
	text = ""
}
essay {
	line = $0
	sub(/^ \*/, "", line)
	text = text line
	if (/\*\//) {
		essay = 0
		gsub(/[ \t]+/, " ", text)
		if (match(text, "Folder " dir ": ") && text ~ /Callers: / &&
				text ~ /Read next: /)
			told[dir] = told[dir] " " FILENAME
	}
}
END {
	for (d in folders) {
		n = split(told[d], f, " ")
		if (n != 1)
			printf "%s: %s\n", d, n == 0 ? \
				"no header says what the folder is for" : \
				"several headers say what it is for:" told[d]
	}
}
