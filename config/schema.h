/*
 * schema: an option is declared once.
 *
 * A module that takes options has a struct for them and a table with one row
 * per option: key, type, unit, range, default, reload class, a sentence of
 * help and where in the struct the value lives. Everything else comes from the
 * table: reading with exact errors, defaults, the canonical print, the
 * difference of two configurations, the manual page and the JSON Schema.
 *
 *	struct sweep_options { struct mono interval; };
 *	static const struct schema_option rows[] = {
 *		{.key = "interval", .type = SCHEMA_DURATION,
 *		 .offset = offsetof(struct sweep_options, interval),
 *		 .min = 1000000000, .max = ..., .zero_off = true,
 *		 .def = "10s", .reload = SCHEMA_LIVE, .help = "..."},
 *	};
 *	const struct schema schema = {"sweep", rows, 1, sizeof(...)};
 *
 * A key may have dots ("lmc.hosts"): maps inside the section. Nothing here
 * parses YAML: schema_section_read takes the tree of config/yaml.h.
 */
#ifndef HEDDLE_CONFIG_SCHEMA_H
#define HEDDLE_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/diag.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

struct yaml_value;

enum schema_type {	  /* what is stored at the offset */
	SCHEMA_BOOL,	  /* bool */
	SCHEMA_INT,	  /* uint32_t; min, max; or one of choices */
	SCHEMA_HEX,	  /* uint64_t */
	SCHEMA_DURATION,  /* struct mono; min, max in nanoseconds */
	SCHEMA_FACTOR,	  /* uint32_t, per mille; min, max per mille */
	SCHEMA_STRING,	  /* const char *, at most max bytes */
	SCHEMA_PATH,	  /* const char *, absolute, at most max bytes */
	SCHEMA_ENUM,	  /* uint32_t, index into choices */
	SCHEMA_GUID,	  /* uint64_t, not zero */
	SCHEMA_PORT,	  /* const char *: auto, DEVICE/PORT or a GUID */
	SCHEMA_NAMES,	  /* struct schema_names, of choices or of env->names */
	SCHEMA_GUIDS,	  /* struct schema_guids */
	SCHEMA_KEYS,	  /* the same, for keys, at most max of them; they stay
			     in their order */
	SCHEMA_GUID_INTS, /* struct schema_guid_ints; min, max of the integer */
	SCHEMA_WORDS,	  /* struct schema_words: texts, each with one of
			     choices */
	SCHEMA_TEXTS,	  /* struct schema_texts, each at most max bytes */
	SCHEMA_RECORDS,	  /* struct schema_records: names, each with the options
			     of record */
	SCHEMA_SWITCH,	  /* const char *: a GUID as 0x and 16 digits, a name,
			     or a pattern with *, ? or [ */
	SCHEMA_SWITCHES,  /* struct schema_names, each as SCHEMA_SWITCH */
	SCHEMA_DEVICE,	  /* struct schema_device */
	SCHEMA_DEVICES,	  /* struct schema_devices, in the order given */
	SCHEMA_SHAPE,	  /* struct schema_shape: one of choices, and an integer
			     of min to max */
	SCHEMA_SHAPES,	  /* struct schema_shapes, in the order given */
};

/* What a reload does about a changed option. */
enum schema_reload {
	SCHEMA_AS_OTHERS, /* of a row: as the section says, or the option whose
			     records these are */
	SCHEMA_LIVE,	  /* takes effect at once */
	SCHEMA_REROUTE, /* the fabric is routed again, and what differs written
			 */
	SCHEMA_RESWEEP, /* ... after a full sweep: other nodes may answer */
	SCHEMA_RESTART, /* kept as it was until the daemon restarts */
	SCHEMA_RELOADS
};

/* A list of names, in the order given, none twice. */
struct schema_names {
	const char *const *name;
	size_t n;
};

/* A set of GUIDs, sorted, none twice. */
struct schema_guids {
	const uint64_t *guid;
	size_t n;
};

struct schema_guid_int {
	uint64_t guid;
	uint32_t value;
};

/* A map from GUIDs to small integers, sorted by GUID, none twice. */
struct schema_guid_ints {
	const struct schema_guid_int *entry;
	size_t n;
};

/* A map from texts to words, in the order given, no text twice. */
struct schema_word {
	const char *text;
	uint32_t value; /* index into choices */
	struct diag_place at;
};

struct schema_words {
	const struct schema_word *entry;
	size_t n;
};

/*
 * A list of texts that the owner of the option judges, in the order given, none
 * twice.
 */
struct schema_text {
	const char *text;
	struct diag_place at;
};

struct schema_texts {
	const struct schema_text *entry;
	size_t n;
};

/* A map from names to structs with options, in the order given. */
struct schema_records {
	const char *const *name;
	const struct diag_place *at;
	void *record; /* n structs of option.record->size bytes */
	size_t n;
};

struct schema;

/* A kind of device: VENDOR or VENDOR:DEVICE, hexadecimal. */
struct schema_device {
	uint32_t vendor;
	uint32_t device; /* UINT32_MAX: any */
};

struct schema_devices {
	const struct schema_device *entry;
	size_t n;
};

/* Whether a device is of a kind in the list. */
static inline bool
schema_devices_have(
	const struct schema_devices *d, uint32_t vendor, uint32_t device)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->entry[i].vendor == vendor &&
			(d->entry[i].device == device ||
				d->entry[i].device == UINT32_MAX))
			return true;
	return false;
}

/* A part of a structure: "ring 8". */
struct schema_shape {
	uint32_t shape; /* index into choices */
	uint32_t size;
};

struct schema_shapes {
	const struct schema_shape *entry;
	size_t n;
};

struct schema_option {
	const char *key;	     /* below the section's path */
	const char *def;	     /* default, as it would be written; NULL:
					that of the environment */
	const char *unit;	     /* shown in prints and manual, or NULL */
	const char *help;	     /* one or more sentences */
	const char *opensm;	     /* options of OpenSM with this meaning, by
					their names with a space between, or
					NULL */
	const char *const *choices;  /* NULL-terminated, or NULL */
	const struct schema *record; /* SCHEMA_RECORDS: its path is "" */
	size_t offset;		     /* into the module's struct */
	uint64_t min, max;
	enum schema_type type;
	enum schema_reload reload;
	bool zero_off; /* 0 is allowed below min, or an empty path, and means
			  off */
	bool secret;   /* never quoted in errors, logs and differences */
	bool reading;  /* it decides how an engine reads the fabric */
};

/*
 * The head of a row for a member of struct section, whose key is the member's
 * name (SCHEMA_ROW) or another one. kind: of enum schema_type.
 */
#define SCHEMA_ROW(section, member, kind)                                      \
	.key = #member, .type = SCHEMA_##kind,                                 \
	.offset = offsetof(struct section, member)
#define SCHEMA_ROW_AS(name, section, member, kind)                             \
	.key = (name), .type = SCHEMA_##kind,                                  \
	.offset = offsetof(struct section, member)

struct schema {
	const char *path; /* "routing.NAME" */
	const struct schema_option *option;
	size_t n;
	size_t size; /* of the module's struct */
};

/* A module that brings its own options: a routing engine. */
struct schema_module {
	const char *name;	      /* as in routing.engines */
	const struct schema *options; /* NULL: it has none */
	const char *opensm; /* OpenSM's engines for the same fabrics, by their
			       names with a space before and behind each; NULL:
			       at most one of the same name */
	bool preferred;	    /* in routing.engines where the configuration says
			       nothing */
	const char *tops;   /* the option that the switches at the top are given
			       by, with its whole name; NULL: there is none */
	/* How many routing layers these options ask for; NULL: one. */
	unsigned (*layers)(const void *options);
};

/* The options of one module: its table, and the struct that holds them. */
struct schema_values {
	const struct schema *schema;
	const void *value;
};

/* What reading needs besides the table. */
struct schema_env {
	struct arena *arena;	  /* where texts and lists of values live */
	const char *const *names; /* NULL-terminated: for SCHEMA_NAMES rows
				     without choices; NULL: none known */
	const char *preferred;	  /* default of such rows, or NULL */
};

/*
 * Read text into the option's field of the struct at base. Lists are written
 * "[a, b]", their names are not judged; of maps only the empty one, "{}", is
 * accepted. 0, or -1 with why: a sentence without the key's name, such as
 * "8 is out of range: 0 to 7".
 */
int schema_set(const struct schema_option *o, const char *text, void *base,
	const struct schema_env *env, struct reason *why);

/* The default of an option, as it would be written. */
const char *schema_default(
	const struct schema_option *o, const struct schema_env *env);

/* Fill the whole struct at base with defaults. */
void schema_defaults(
	const struct schema *s, void *base, const struct schema_env *env);

/*
 * Append the canonical text of the field, which can be read back. indent < 0:
 * in one line; otherwise lists of GUIDs or switches and all maps, where not
 * empty, take one line per entry, each after a newline and indent spaces.
 */
void schema_print(const struct schema_option *o, const void *base, int indent,
	struct buf *out);

/* True when both structs have the same value for the option. */
bool schema_same(const struct schema_option *o, const void *a, const void *b);

/*
 * Append what values are allowed ("0 to 7", "1ms to 1m", "a, b or c"), or
 * nothing where the type says it all. names: for SCHEMA_NAMES, or NULL.
 */
void schema_range(const struct schema_option *o, const char *const *names,
	struct buf *out);

/* "integer", "duration", "list of GUIDs" ... */
const char *schema_type_name(enum schema_type type);

/* "live", "reroute", "restart". */
const char *schema_reload_name(enum schema_reload reload);

/*
 * Sections: options by name. A section is a list of options with their names
 * ("fabric.lmc.hosts") and the struct that holds their values: the whole file,
 * or one record of a map of records ("partitions.storage"). Reads maps of keys
 * with exact errors, prints them so that they read back the same.
 */
enum { SECTION_KEY_MAX = 80 };

struct section_key {
	const struct schema_option *o;
	enum schema_reload reload; /* never SCHEMA_AS_OTHERS */
	size_t offset;		   /* of the schema's struct in the section's */
	char name[SECTION_KEY_MAX];
	struct diag_place at; /* of its value in the file, line 0: absent */
	const struct yaml_value *v; /* that value, NULL: absent */
};

struct section {
	struct arena *arena; /* for the keys */
	struct section_key *key;
	size_t n;
	const char *path; /* for messages: "" or "partitions.storage." */
};

/* Add the options of s, with their struct at offset, under s->path. reload is
 * of those that say none. */
void schema_section_add(struct section *k, const struct schema *s,
	size_t offset, enum schema_reload reload);

/* The key of this name, or NULL. */
struct section_key *schema_section_find(
	const struct section *k, const char *name);

/* The last word of a key's name. */
const char *schema_section_leaf(const char *name);

/* The struct that holds the key's value, inside the struct at base. */
const void *schema_section_base(
	const struct section_key *key, const void *base);

/* Read a map of keys into the struct at base; mistakes go to d. */
void schema_section_read(struct section *k, const struct yaml_value *map,
	void *base, const struct schema_env *env, struct diag_list *d);

/* Append every key of the struct at base as YAML, indent spaces in. */
void schema_section_print(
	const struct section *k, const void *base, int indent, struct buf *out);

/* Append "{key: value, ...}" with dots in the keys: for messages. */
void schema_section_print_line(
	const struct section *k, const void *base, struct buf *out);

#endif
