/*
 * qos: what the service levels of the configuration mean for a topology and its
 * routes: which SLs and VLs they get beside the layers of routing, by what
 * weights ports shall share links, which paths get which level, and where there
 * are too few VLs; and, once a push is over, which tables are in place. From
 * then on it is an immutable value; questions about the fabric go to
 * sm/view/view_slvl.h.
 *
 * It exists without service levels, too: several layers need tables as well.
 */
#ifndef HEDDLE_SM_POLICY_QOS_H
#define HEDDLE_SM_POLICY_QOS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "distribution/tables/vlarb.h"
#include "routing/core/routes.h"
#include "sm/base/arena.h"
#include "sm/base/reason.h"
#include "sm/policy/name_pins.h"

struct qos_rule; /* a rule, ports and numbers instead of texts */

struct qos {
	unsigned refs;
	struct topo *topo;  /* a reference */
	struct config *cfg; /* a reference */
	struct arena *arena;
	struct vl_map *map; /* a reference, or NULL */
	struct vlarb_want want;
	struct qos_rule *rule; /* the first that fits counts */
	size_t nrules;
	uint32_t ports;	     /* with a link */
	uint32_t short_of;   /* of these, with fewer VLs than are wanted */
	uint32_t cannot_map; /* nodes that cannot map SLs to VLs at all */
	char shortage[256];  /* in words, "" when there is none */
	/* since qos_settle, by port: whether its SL2VL rows, and its VLArb
	 * tables, are as wanted */
	bool *mapped, *shared;
	uint32_t missing; /* ports where one of them is not */
};

/* layers: those of routing. pins: as for pkeys_make. */
struct qos *qos_make(struct config *c, struct topo *t,
	const struct route_layers *layers, const struct name_pins *pins);

struct qos *qos_ref(struct qos *q); /* NULL allowed */
void qos_unref(struct qos *q);	    /* NULL allowed */

/* Use t from now on, another freeze of the same fabric. NULL allowed. */
void qos_adopt(struct qos *q, struct topo *t);

/* A push is over: enter what tables are known to hold. */
void qos_settle(struct qos *q, const struct device_store *hw);

/* True if they are the same, and settled the same way. */
bool qos_same(const struct qos *a, const struct qos *b);

/* Two ports, and the request for a path between them. */
struct qos_ask {
	port_ix from, to;
	uint16_t pkey; /* the membership bit does not count */
	bool by_service, by_class;
	uint64_t service;
	uint16_t class;
};

/* The number of the service level of that path. */
unsigned qos_level_of(const struct qos *q, const struct qos_ask *ask);

/* The SL of groups in a partition: that of its service level, or sl when there
 * are no levels. It is the same for all routes. */
uint8_t qos_group_sl(const struct config *c, uint16_t pkey, uint8_t sl);

/* Whether multicast trees may travel in this SL: one of a layer that has them.
 */
bool qos_has_trees(
	const struct qos *q, const struct route_layers *layers, uint8_t sl);

/* The SLs of packets that may choose among ports by routing.adaptive, a bit
 * each: SLs that an adaptive level and another one share are not among them;
 * those of routing.adaptive.sls where LIDs decide. */
uint16_t qos_adaptive_sls(
	const struct config *c, const struct route_layers *layers);

/* The service levels that c asks for. */
struct slvl_want qos_levels_want(const struct config *c);

/* link.max_vls as a code of PortInfo. */
uint8_t qos_vls_code(const struct config *c);

/* The lists of VLArbitrationTable that its levels need. */
enum slvl_lists qos_lists(const struct config *c);

/* True if rules name ports by name. */
bool qos_by_name(const struct config *c);

/* Whether t can have what c asks for: 0, or -1 with why where c says that a
 * shortage of VLs is refused. */
int qos_fits(struct config *c, struct topo *t,
	const struct route_layers *layers, struct reason *why);

#endif
