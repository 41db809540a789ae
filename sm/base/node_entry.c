#include "sm/base/node_entry.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool
node_entry_is_guid(const char *entry, uint64_t *guid)
{
	char *end;

	if (strncmp(entry, "0x", 2) != 0 || strlen(entry) != 18)
		return false;
	*guid = strtoull(entry, &end, 16);
	return *end == '\0';
}

size_t
node_entry_weight(const char *entry, uint64_t guid, const char *name)
{
	uint64_t g;

	if (node_entry_is_guid(entry, &g))
		return g == guid ? SIZE_MAX : 0;
	if (*name == '\0')
		return 0;
	if (strcmp(entry, name) == 0)
		return SIZE_MAX - 1;
	return fnmatch(entry, name, 0) == 0 ? strlen(entry) + 1 : 0;
}
