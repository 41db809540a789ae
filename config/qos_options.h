/*
 * qos: levels of service as the administrator says them. The rows of one level
 * and of one rule of `qos`, what their texts mean, and what no single row can
 * judge. What it means for SLs, VLs and weights is sm/policy/qos.h's business.
 *
 * A rule names who and what: partitions, services by their IDs, QoS classes,
 * ports. What it names of one kind are alternatives, different kinds must all
 * fit, a kind that it does not name fits always. Rules look at both ends
 * alike, so that an answer takes the level of the question.
 */
#ifndef HEDDLE_CONFIG_QOS_OPTIONS_H
#define HEDDLE_CONFIG_QOS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/diag.h"
#include "config/schema.h"

struct config;

enum { QOS_LEVELS = 15, QOS_DEFAULT_WEIGHT = 1 };

enum qos_shortage { QOS_SHARE, QOS_REFUSE };
enum qos_unknown { QOS_UNKNOWN_DEFAULT, QOS_UNKNOWN_DROP };

/* Words of qos.shortage and qos.unknown_sl, NULL-terminated. */
extern const char *const qos_shortages[];
extern const char *const qos_unknowns[];

struct qos_level_options {
	uint32_t sl; /* 0: any; else the number + 1 */
	uint32_t weight;
	uint32_t weight_at[4]; /* by enum config_qos_class; 0: as weight */
	uint32_t high;	       /* priority: 0 low, 1 high */
	const char *shares_with;
	uint32_t mtu;	   /* limit: 0 none, else the IBA code */
	uint32_t rate;	   /* limit: 0 none, else index + 1 in
			      partition_rates */
	uint32_t lifetime; /* 0: that of the fabric */
};

struct qos_rule_options {
	const char *level;
	struct schema_texts partitions, services, classes, with, among;
};

extern const struct schema qos_level_schema, qos_rule_schema;

/* A range of numbers. */
struct qos_range {
	uint64_t first, last;
};

/* The service IDs that a text means; false: none. */
bool qos_service(const char *text, struct qos_range *out);

/* What asks for a path without a service. */
bool qos_no_service(const char *text);

/* The QoS classes that a text means; false: none. */
bool qos_class(const char *text, struct qos_range *out);

/* The P_Key that a text means, by the names of c or as a number; 0: none. */
uint16_t qos_pkey(const struct config *c, const char *text);

/*
 * Levels by number: 0 is the default one, then those of the configuration in
 * its order. How many; 0: none are configured.
 */
unsigned qos_levels(const struct config *c);
/* What level i says; its name, "default" where nobody wrote it. */
const struct qos_level_options *qos_level(const struct config *c, unsigned i);
const char *qos_level_name(const struct config *c, unsigned i);
/* The number of a level by name; -1: there is none. */
int qos_find_level(const struct config *c, const char *name);

/* Judge all of it. */
void qos_check(const struct config *c, struct diag_list *d);

#endif
