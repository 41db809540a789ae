/*
 * setting: "key=value" over a configuration. The value is what would stand
 * behind the key in the file, in one line: quotes, lists and maps are read
 * there as in the file, so that whatever can be configured can be tried.
 */
#ifndef HEDDLE_CONFIG_SETTING_H
#define HEDDLE_CONFIG_SETTING_H

#include "config/schema.h"
#include "sm/base/arena.h"
#include "sm/base/reason.h"

struct yaml_value;

/*
 * Put the setting into the tree of a file, in the place of what stands there
 * under its key; what is new lives in the arena. Keys are those of `keys` and,
 * word by word, what is inside their records ("partitions.blue.pkey"). The
 * value is not judged beyond being YAML. 0, or -1 and why, which names the key
 * and never shows the value.
 */
int setting_put(struct yaml_value *root, const char *text,
	const struct section *keys, struct arena *a, struct reason *why);

#endif
