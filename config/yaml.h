/*
 * yaml: the file as a small tree.
 *
 * libyaml's events become maps, lists and scalars in an arena; every key and
 * value keeps its line and column. Scalars stay text: the schema gives them
 * their type, so YAML's own guesses (off, 010, 1e3, 12:30) do no harm.
 *
 * Only the plain part of YAML is accepted. Anchors, aliases, merge keys, tags,
 * directives, several documents, duplicate keys, keys that are not scalars,
 * tabs as indentation and anything that is not UTF-8 are mistakes, named with
 * their place. Several files are read one by one and merged. Size, depth and
 * number of nodes are bounded before anything is built, so a hostile file costs
 * little.
 */
#ifndef HEDDLE_CONFIG_YAML_H
#define HEDDLE_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "config/diag.h"
#include "sm/base/arena.h"

#define YAML_MAX_BYTES ((size_t)4 << 20)
#define YAML_MAX_DEPTH 32u
#define YAML_MAX_NODES 500000u

enum yaml_kind {
	YAML_KIND_SCALAR,
	YAML_KIND_LIST,
	YAML_KIND_MAP,
	YAML_KIND_BAD /* its mistake is reported already */
};

struct yaml_value {
	enum yaml_kind kind;
	bool plain;		  /* a scalar without quotes */
	struct diag_place at;	  /* of the value */
	const char *text;	  /* of a scalar; no NUL inside */
	struct yaml_value *first; /* of a list or map, in file order */
	struct yaml_value *next;  /* after this one in its list or map */
	size_t n;		  /* members of a list or map */
	const char *key;	  /* when a member of a map, else NULL */
	struct diag_place key_at;
};

/*
 * Read text (len bytes) into a tree in arena a. An empty file, or one of
 * comments only, is an empty map. Mistakes go to d. Returns the root, or NULL
 * when no tree can be made; mistakes may have been added in either case.
 */
struct yaml_value *yaml_read(
	struct arena *a, const char *text, size_t len, struct diag_list *d);

/*
 * Put `over` on top of base, both maps without duplicate keys: where both have
 * a map, key by key; where both have another value, that of over. A key of over
 * with nothing behind it leaves a map as it is. Members of over become base's.
 */
void yaml_merge(struct yaml_value *base, struct yaml_value *over);

/* True for a scalar without text or quotes ("key:" with nothing behind). */
bool yaml_empty(const struct yaml_value *v);

#endif
