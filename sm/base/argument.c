#include "sm/base/argument.h"

#include <stddef.h>
#include <string.h>

bool
argument_is(const char *word, const struct argument *o, const char **value)
{
	size_t n = strcspn(word, "=");

	*value = NULL;
	if (strlen(o->word) == n && strncmp(word, o->word, n) == 0) {
		if (word[n] == '=')
			*value = word + n + 1;
		return true;
	}
	if (o->letter == NULL || strncmp(word, o->letter, 2) != 0)
		return false;
	if (word[2] != '\0')
		*value = word + 2;
	return word[2] == '\0' || o->arg != NULL;
}

enum argument_fault
argument_take(const struct argument *o, int argc, char *const *argv, int *i,
	const char **value)
{
	if (o->arg == NULL)
		return *value == NULL ? ARGUMENT_OK : ARGUMENT_ANY_VALUE;
	if (*value != NULL)
		return ARGUMENT_OK;
	if (*i + 1 >= argc)
		return ARGUMENT_NO_VALUE;
	*value = argv[++*i];
	return ARGUMENT_OK;
}
