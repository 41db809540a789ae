#!/bin/sh
# Functions of at most 80 lines; a waiver is a comment with "NOLINT(size): reason"
# in the line above the function's opening brace. A file is as long as its idea:
# one over 1,000 lines is a warning, a question whether it holds two of them.
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck disable=SC2016
git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.sh' '*.awk' |
	xargs awk '
	function end_file() {
		if (lines > 1000)
			print "warning: " file ": " lines " lines"
	}
	FNR == 1 {
		end_file()
		file = FILENAME
		start = 0
	}
	{
		lines = FNR
	}
	/^[a-z_][a-z0-9_]*\(/ {
		name = $0
		sub(/\(.*/, "", name)
	}
	/^{$/ {
		start = FNR
		pass = last ~ /NOLINT\(size\): ./
	}
	/^}/ && start {
		if (FNR - start - 1 > 80 && !pass) {
			print FILENAME ":" start ": " name " has " \
				FNR - start - 1 " lines, at most 80"
			bad = 1
		}
		start = 0
	}
	{
		last = $0
	}
	END {
		end_file()
		exit bad
	}'
