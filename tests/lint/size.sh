#!/bin/sh
# Files of at most 800 lines, functions of at most 80. A waiver is a comment
# with "NOLINT(size): reason" in the file, or in the line above the function's
# opening brace.
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck disable=SC2016
git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.sh' '*.awk' |
	xargs awk '
	function end_file() {
		if (lines > 800 && !waived) {
			print file ": " lines " lines, at most 800"
			bad = 1
		}
	}
	FNR == 1 {
		end_file()
		file = FILENAME
		waived = 0
		start = 0
	}
	{
		lines = FNR
	}
	FNR <= 40 && /NOLINT\(size\): ./ {
		waived = 1
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
