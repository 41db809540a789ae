/* The inside of the importer, for import*.c only. */
#ifndef HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H
#define HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "config/import/import.h"

/* A file that was read; text NULL: there is none. */
struct import_file {
	const char *name; /* for messages */
	char *text;	  /* terminated, without NUL bytes */
	size_t len;
};

/* What is said beside the YAML. */
struct import_notes {
	struct buf lost, info; /* lines */
	size_t nlost;
};

/* Add "file:line: " (line 0: "file: ") and the text as one line of printable
 * ASCII: something that is not carried over ... */
void import_lost(struct import_notes *n, const struct import_file *f,
	unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* ... or a remark about something that is, or need not be. */
void import_note(struct import_notes *n, const struct import_file *f,
	unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* import_read.c: read a text file whole, at most 4 MiB; free its text. 0, or -1
 * with errno set (ENOENT ...) and why. */
int import_read(const char *name, struct import_file *out, struct reason *why);

/* One line of a text file; comments are gone. */
struct import_line {
	unsigned number;
	char *key;  /* the first word */
	char *rest; /* what follows, without blanks at its ends; or "" */
	char text[1024];
};

/* Step to the next line that has words, from *at on; false: the end. A line
 * that is too long is listed as lost. */
bool import_next_line(const struct import_file *f, size_t *at,
	struct import_line *line, struct import_notes *n);

/* import_qos.c: QoS levels. */
struct import_qos *import_qos_new(void);
void import_qos_free(struct import_qos *q); /* NULL allowed */
/* Take a key of opensm.conf; false: not a QoS key, or a bad value. */
bool import_qos_take(struct import_qos *q, const char *key, const char *v);
/* True if OpenSM's QoS is switched on. */
bool import_qos_on(const struct import_qos *q);
/* The routing engine is torus-2QoS, which has two QoS levels: SLs 0 to 7 and 8
 * to 15, whatever qos_sl2vl says. */
void import_qos_torus(struct import_qos *q);
/* Note a partition's SL, for a rule. */
void import_qos_partition(
	struct import_qos *q, const char *name, unsigned pkey, unsigned sl);
/* Note a rule of a policy: what it matches as YAML, in lines six spaces in. */
void import_qos_rule(struct import_qos *q, const struct import_file *f,
	unsigned line, unsigned sl, const char *yaml);
/* Note the SL that a policy gives where no rule of it matches. */
void import_qos_default(
	struct import_qos *q, const struct import_file *f, unsigned sl);
/* Append the section "qos", or nothing where QoS is off. */
void import_qos_print(const struct import_qos *q, const struct import_file *f,
	struct import_notes *n, struct buf *out);

/* import_policy.c: the rules of a QoS policy go to q; what is lost is listed.
 */
void import_policy(const struct import_file *f, struct import_qos *q,
	struct import_notes *n);

/*
 * import_partitions.c: append the section "partitions". Where QoS is on, the
 * SLs of partitions go to q. both: allow_both_pkeys; without it "both" means
 * full. 0, or -1 and why: the file has statements, and none is a partition.
 */
int import_partitions(const struct import_file *f, struct import_qos *q,
	bool both, struct import_notes *n, struct buf *out, struct reason *why);

/* import_guids.c: append the switches of a root_guid_file as a YAML list,
 * indent spaces in. Their number. */
size_t import_roots(const struct import_file *f, int indent,
	struct import_notes *n, struct buf *out);
/* Append the map "prefix_routes" of a prefix_routes_file, or nothing where it
 * has no entries. Their number. */
size_t import_prefix_routes(const struct import_file *f, bool in_section,
	struct import_notes *n, struct buf *out);

/* import_torus.c: append the sizes of a torus-2QoS.conf as a YAML list, or
 * nothing where there are none. */
void import_torus(
	const struct import_file *f, struct import_notes *n, struct buf *out);

/* import.c: the key that a value of this option becomes, or NULL; *stock: the
 * default of OpenSM if that is not carried over, else NULL. */
const char *import_counterpart(const char *key, const char **stock);

/* import_default.c: whether a value is the default, however numbers are
 * written. */
bool import_is_default(const char *is, const char *value);

/* What is known of an option without a counterpart. */
enum import_known {
	IMPORT_UNKNOWN, /* no option of OpenSM */
	IMPORT_DEFAULT, /* it has OpenSM's default value */
	IMPORT_SAME,	/* nothing is lost: see *why */
	IMPORT_LOST,	/* see *why */
};
enum import_known import_judge_option(
	const char *key, const char *value, const char **why);

#endif
