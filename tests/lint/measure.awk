# usage: awk -f lex.awk -f measure.awk index FILE...
# The figures of measure.sh, from what index.awk printed and the files of the
# product.
function basedir(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}
function home_of(file, name) {
	if ((file, name) in local)
		return file
	return (name in exported) ? exported[name] : inline_in[name]
}
FNR == 1 {
	lex_open = 0
	nfile++
}
nfile == 1 && $1 == "def" {
	kind[$2, $4] = $5
	if ($5 == "export") {
		exported[$4] = $2
		exports++
	} else if ($2 ~ /\.h$/)
		inline_in[$4] = $2
	else {
		local[$2, $4] = 1
		statics++
	}
	functions += $6 > 0
	long += $6 > 45
	next
}
nfile == 1 {
	from[++uses] = $2
	at[uses] = $3
	what[uses] = $4
	within[uses] = $5
	next
}
FNR == 1 {
	files++
	headers += FILENAME ~ /\.h$/
}
{
	all++
	lex_line($0)
	if (code !~ /^[ \t]*$/)
		lines++
	# fields of structs: what ends in ; or , inside of one that begins
	# at the start of a line
	if (code ~ /^struct [a-z_0-9]+ {$/) {
		struct = code
		sub(/^struct /, "", struct)
		sub(/ .*/, "", struct)
		next
	}
	if (code ~ /^}/)
		struct = ""
	if (struct != "") {
		while (sub(/\([^()]*\)/, "", code) > 0)
			;
		gsub(/^[ \t]*}.*/, "", code)
		fields[FILENAME, struct] += gsub(/[;,]/, "", code)
	}
}
END {
	for (i = 1; i <= uses; i++) {
		home = home_of(from[i], what[i])
		if (home == "")
			continue
		sites[home, what[i]]++
		if (from[i] != home && kind[home, what[i]] == "export" &&
				!((home, what[i], from[i]) in seen)) {
			seen[home, what[i], from[i]] = 1
			outside[home, what[i]]++
			a = from[i]
			if (basedir(a) == basedir(home) && a ~ /c$/ &&
					home ~ /c$/) {
				edge[a, home] = 1
				inner[a] = inner[home] = 1
			}
		}
	}
	for (k in kind) {
		if (kind[k] == "export") {
			unused += !outside[k] && k !~ SUBSEP "main$"
			one_file += outside[k] == 1
			one_site += outside[k] == 1 && sites[k] == 1
		} else {
			split(k, p, SUBSEP)
			if (p[1] !~ /h$/)
				once += sites[k] == 1
		}
	}
	# what each file of a folder reaches by calls
	for (e in edge)
		reach[e] = 1
	for (m in inner)
		for (i in inner)
			if (basedir(i) == basedir(m) && (i, m) in reach)
				for (j in inner)
					if ((m, j) in reach)
						reach[i, j] = 1
	for (i in inner)
		if ((i, i) in reach && !(i in done)) {
			circles++
			n = 0
			for (j in inner)
				if ((i, j) in reach && (j, i) in reach) {
					done[j] = 1
					n++
				}
			in_circles += n
			largest = n > largest ? n : largest
		}
	printf "files                              %6d (%d headers)\n", files, headers
	printf "lines                              %6d\n", all
	printf "lines of code                      %6d\n", lines
	printf "functions                          %6d\n", functions
	printf "functions over 45 lines            %6d\n", long
	printf "exports                            %6d\n", exports
	printf "exports used by one other file     %6d (%d %%)\n", one_file,
		100 * one_file / exports
	printf "exports called at one place        %6d (%d %%)\n", one_site,
		100 * one_site / exports
	printf "exports without a product caller   %6d\n", unused
	printf "static functions                   %6d\n", statics
	printf "static functions called once       %6d (%d %%)\n", once,
		100 * once / statics
	printf "circles of files inside folders    %6d (%d files, the largest %d)\n",
		circles, in_circles, largest
	printf "fields of the ten largest structs "
	for (n = 0; n < 10; n++) {
		most = ""
		for (s in fields)
			if (most == "" || fields[s] > fields[most])
				most = s
		split(most, p, SUBSEP)
		printf " %s %d", p[2], fields[most]
		delete fields[most]
	}
	print ""
}
