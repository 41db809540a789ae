/* The inside of the importer, for import*.c only. */
#ifndef HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H
#define HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H

#include <stdbool.h>

#include "config/import/import.h"

/* Append "# file:line: " and the text as one line of printable ASCII. */
void import_note(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* import_qos.c: QoS levels. */
struct import_qos *import_qos_new(void);
void import_qos_free(struct import_qos *q); /* NULL allowed */
/* Take a key of opensm.conf; false: not a QoS key, or a bad value. */
bool import_qos_take(struct import_qos *q, const char *key, const char *v);
/* True if OpenSM's QoS is switched on. */
bool import_qos_on(const struct import_qos *q);
/* Note a partition's SL, for a rule. */
void import_qos_partition(struct import_qos *q, const char *name, unsigned sl);
/* Append the section "qos", or nothing where QoS is off. */
void import_qos_print(const struct import_qos *q, const struct import_file *f,
	struct buf *out);

/*
 * import_partitions.c: append the section "partitions", notes before it. Where
 * QoS is on, the SLs of partitions go to q. both: allow_both_pkeys; without it
 * "both" means full.
 */
void import_partitions(const struct import_file *f, struct import_qos *q,
	bool both, struct buf *out);

/* import_default.c: true if this is the value that OpenSM has by default. */
bool import_is_default(const char *key, const char *value);

#endif
