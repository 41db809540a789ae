/*
 * qos_options: QoS levels as the administrator configures them. The rows of one
 * level and of one rule of `qos`, what their texts mean, and the rules that no
 * single row can judge. sm/policy/qos.h makes SLs, VLs and weights from them.
 *
 * A rule names partitions, services by their IDs, QoS classes and ports. The
 * entries of one kind are alternatives; all kinds that are named must fit; a
 * kind that is not named always fits. Rules treat both ends of a path alike, so
 * that an answer takes the level of the question.
 */
#ifndef HEDDLE_CONFIG_QOS_OPTIONS_H
#define HEDDLE_CONFIG_QOS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/diag.h"
#include "config/schema.h"

struct config;

enum { QOS_SLS = 16, QOS_LEVELS = 15, QOS_DEFAULT_WEIGHT = 1 };

enum qos_shortage { QOS_SHARE, QOS_REFUSE };
enum qos_unknown { QOS_UNKNOWN_DEFAULT, QOS_UNKNOWN_DROP };

struct qos_level_options {
	uint32_t sl; /* 0: any; else the number + 1 */
	uint32_t weight;
	uint32_t weight_at[4]; /* by enum config_qos_class; 0: as weight */
	uint32_t high;	       /* priority: 0 low, 1 high */
	const char *shares_with;
	bool adaptive;	   /* its packets may choose among ports */
	uint32_t mtu;	   /* limit: 0 none, else the IBA code */
	uint32_t rate;	   /* limit: 0 none, else index + 1 in
			      partition_rates */
	uint32_t lifetime; /* 0: link.subnet_timeout */
};

struct qos_rule_options {
	const char *level;
	struct schema_texts partitions, services, classes, with, among;
};

/* The rows of the section qos. */
extern const struct schema qos_schema;

/* A range of numbers. */
struct qos_range {
	uint64_t first, last;
};

/* The service IDs that a text means; false: it means none. */
bool qos_service(const char *text, struct qos_range *out);

/* True for the text ("ipoib") that means path queries without a service. */
bool qos_no_service(const char *text);

/* The QoS classes that a text means; false: it means none. */
bool qos_class(const char *text, struct qos_range *out);

/* The P_Key that a text means, by the names of c or as a number; 0: none. */
uint16_t qos_pkey(const struct config *c, const char *text);

/*
 * The number of levels, 0 where none are configured. Level 0 is the default
 * level; the others follow in the order of the file.
 */
unsigned qos_levels(const struct config *c);
/*
 * The options of level i, and its name; the default level need not be in the
 * file.
 */
const struct qos_level_options *qos_level(const struct config *c, unsigned i);
const char *qos_level_name(const struct config *c, unsigned i);
/* True where packets may choose among ports by the LID that they are sent to
 * (routing.adaptive.by). */
bool qos_adaptive_by_lid(const struct config *c);
/* True where switches have to tell service levels apart, since packets of some
 * may choose among ports (routing.adaptive) and those of others may not. */
bool qos_tells_adaptive(const struct config *c);
/* The most routing layers that the options of an engine ask for, 1 or more:
 * each level has so many SLs. */
unsigned qos_layers(const struct config *c);
/* The number of the level with this name; -1: there is none. */
int qos_find_level(const struct config *c, const char *name);

/* Judge levels and rules; mistakes go to d. */
void qos_check(const struct config *c, struct diag_list *d);

#endif
