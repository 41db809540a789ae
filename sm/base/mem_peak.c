#include "sm/base/mem_peak.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { KIB = 1024 };

/* A line of /proc/self/status, in bytes; 0: there is none. */
static uint64_t
read_status(const char *key)
{
	FILE *f = fopen("/proc/self/status", "re");
	size_t n = strlen(key);
	uint64_t kib = 0;
	char line[256];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, n) == 0)
			kib = strtoull(line + n, NULL, 10);
	if (f != NULL)
		(void)fclose(f);
	return kib * KIB;
}

/* VmHWM begins at VmRSS again. */
static bool
reset_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "we");
	bool put = f != NULL && fputs("5", f) >= 0;

	return f != NULL && fclose(f) == 0 && put;
}

uint64_t
mem_peak_begin(void)
{
	mem_trim();
	return reset_peak() ? read_status("VmRSS:") : 0;
}

uint64_t
mem_peak_end(uint64_t before)
{
	uint64_t peak = read_status("VmHWM:");

	return before > 0 && peak > before ? peak - before : 0;
}
