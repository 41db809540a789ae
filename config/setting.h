/*
 * setting: "key=value" on top of a configuration. The value is written as
 * behind the key in the file, on one line; quotes, lists and maps are read as
 * in the file, so that everything that can be configured can be tried.
 */
#ifndef HEDDLE_CONFIG_SETTING_H
#define HEDDLE_CONFIG_SETTING_H

#include "config/schema.h"
#include "sm/base/arena.h"
#include "sm/base/reason.h"

struct yaml_value;

/*
 * Put the setting into the tree of a file, where it replaces the value of its
 * key; new nodes live in the arena. A key is one of `keys` or, word by word, a
 * key inside one of their records ("partitions.blue.pkey"). The value is not
 * judged beyond being YAML. 0, or -1 and why, which names the key and never
 * shows the value.
 */
int setting_put(struct yaml_value *root, const char *text,
	const struct section *keys, struct arena *a, struct reason *why);

#endif
