/*
 * engine: what a routing engine is. A pure function of its job: same job, same
 * bytes, for any number of threads; it sends nothing, logs nothing, reads no
 * clock and is never called again about a result it gave.
 *
 * The verifier judges the result of any engine. An engine that can try several
 * orders (other roots, another sFtree root) offers them as attempts 0, 1, 2
 * ...: the driver (compute.c) asks for the next one when the verifier refuses a
 * result, until the engine says ENGINE_NO_MORE.
 *
 * Folder routing/core: the values of routing: the job that an engine gets, the
 * routes that it gives, tables in blocks, LIDs, layers with their SLs and VLs,
 * the verdict. Callers: every folder of routing; distribution, sm/policy,
 * sm/view, sm/sa, sm/report and sm/what_if read routes. Read next:
 * routing/core/routes.h, then routing/driver/compute.h for what is done with an
 * engine.
 */
#ifndef HEDDLE_ROUTING_CORE_ENGINE_H
#define HEDDLE_ROUTING_CORE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/schema.h"
#include "routing/core/layer_memory.h"
#include "routing/core/routes.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* What a switch is in a tree, as the administrator or the switch says. */
enum route_role {
	ROUTE_ROLE_NONE,
	ROUTE_ROLE_LEAF,
	ROUTE_ROLE_SPINE, /* between: neither top nor leaf */
	ROUTE_ROLE_ROOT,  /* top tier */
};

struct route_role_of {
	uint64_t guid;
	uint8_t role;	   /* enum route_role */
	bool told;	   /* by the switch itself, not by the configuration */
	const char *entry; /* guid 0: the configuration's name or pattern that
			      no switch answers to */
	const char *torn;  /* a pattern of equal weight that gives another
			      role, or NULL */
};

/*
 * Ports of multi-port nodes as configured: ports that stand in for each other
 * although their nodes do not say so, or that are passive. Groups by number,
 * sorted by GUID.
 */
enum {
	ROUTE_MULTI_PORT_NODE = 65536
}; /* in no group: what the node says counts */

struct route_multi_port {
	uint64_t guid; /* of the port */
	uint32_t group;
	bool passive; /* idle until another one fails */
};

/* Which switches may choose among ports, route_sets.h. */
struct route_adaptive {
	const struct route_choice *can; /* [nsw] of the topology */
	bool default_first;
	/* where the previous routes have no sets: those that switches were
	 * found with, of this topology; NULL: none, or unknown */
	struct route_sets *found;
};

/* What the administrator configures for the engines. */
struct engine_options {
	const struct schema_values *own; /* of engines, by their tables */
	size_t nown;
	const struct route_role_of *role; /* sorted by (guid, told) */
	size_t nroles;
	const struct route_multi_port *multi_port;
	size_t nmulti_port;
	uint8_t levels;	 /* QoS levels, which share the VLs with layers */
	uint8_t max_vls; /* a code as in PortInfo; 0: any number of VLs */
	uint8_t lists;	 /* enum slvl_lists: of arbitration, that levels need */
	uint64_t reading; /* hash of the options for reading the fabric and of
			     the list of engines; see topo_class.h */
};

struct route_job {
	struct topo *topo;	   /* with LIDs; read only */
	struct lft_pool *pool;	   /* owned by the job while it runs */
	const struct routes *prev; /* routes in force, or NULL */
	bool restored; /* prev was read from the switches of the very fabric
			  that the previous run routed last, and has the order
			  of that run: it is kept as it is */
	const struct route_rank *ranks; /* remembered ranks where there is no
					   prev (restart), sorted by GUID */
	size_t nranks;
	enum route_order ranks_order;
	struct topo_class reading;	  /* with ranks */
	const struct layer_memory *pairs; /* the layers that pairs of switches
					     last had, or NULL */
	const char *remembered; /* what an engine printed of its state, lines
				   that begin with its name; or NULL */
	uint64_t now;		/* seconds since 1970, to be noted */
	const struct engine_options *options;
	const struct route_adaptive *adaptive; /* NULL: none may */
	uint32_t load_limit; /* per mille: keep entries while the worst load
				is below this times a fresh computation's */
	bool rebalance; /* fresh entries are wanted although prev has some */
	uint64_t seed;
	unsigned threads;
	const volatile bool *cancel; /* NULL: never cancelled */
};

/* The options that this table declares; NULL: none are given, defaults count.
 */
static inline const void *
engine_own_options(const struct engine_options *o, const struct schema *table)
{
	for (size_t i = 0; o != NULL && i < o->nown; i++)
		if (o->own[i].schema == table)
			return o->own[i].value;
	return NULL;
}

enum engine_result {
	ENGINE_OK = 0,
	ENGINE_REFUSED = -1, /* cannot route this fabric: why says so */
	ENGINE_NO_MORE = -2, /* no further attempt */
};

/* Something that an engine tells of its routes, by the key under which programs
 * find it. */
struct engine_fact {
	const char *key; /* static */
	bool is_switch;	 /* sw counts, which may be TOPO_NONE; else n */
	sw_ix sw;
	uint64_t n;
};

enum { ENGINE_FACTS = 4 };

/*
 * What can be done with the state that an engine keeps with its routes
 * (routes.state). NULL: nothing. Callers go by routing/driver/registry.h.
 */
struct engine_state_ops {
	/* Lines of text, each ended by a newline, that begin with the engine's
	 * name: from them a job can go on as from these routes. */
	void (*print)(const struct routes *r, struct buf *out);
	/* The other way round: give r, which was read from the switches or has
	 * other numbers, the state that the lines of this engine in text (NULL:
	 * none) describe. 0, or -1 with the line that is not understood. */
	int (*parse)(struct routes *r, const char *engine, const char *text,
		struct reason *why);
	/* What people and programs may want to know; returns how many. */
	unsigned (*status)(
		const struct routes *r, struct engine_fact out[ENGINE_FACTS]);
	/* False: routes that are computed from these, in the same fabric, may
	 * differ from them once more. NULL: they never do. */
	bool (*is_settled)(const struct routes *r);
	/* Where the switch order alone does not tell: whether a packet to a LID
	 * at switch dest may go down to switch s. NULL: any packet may. */
	bool (*may_go_down)(const struct routes *r, sw_ix s, sw_ix dest);
};

static inline bool
engine_may_go_down(const struct routes *r, sw_ix s, sw_ix dest)
{
	return r->state == NULL || r->state->ops->may_go_down == NULL ||
	       r->state->ops->may_go_down(r, s, dest);
}

/* What an engine says of its layers; NULL where it has none of its own. */
struct engine_layer_ops {
	/* Why pairs are spread over fewer layers than are asked for; "": they
	 * have them all. */
	void (*too_few)(const struct routes *r,
		const struct engine_options *options, char *out, size_t size);
	/* The number of ports with VLs for fewer layers than there are, and in
	 * out a text with the first; "": none. */
	uint32_t (*shared)(const struct routes *r,
		const struct engine_options *options, char *out, size_t size);
};

/* What the driver may count on. */
enum engine_caps {
	ENGINE_ANY_FABRIC = 1, /* it routes every connected fabric, on one VL */
	ENGINE_OWN_VLS = 2,    /* its layers have a VL each on every link */
	ENGINE_CHOOSES = 4,    /* it makes no tables: the driver tries the
				  others, and takes the best (compute.h) */
};

struct engine {
	struct schema_module module; /* its name and its options */
	unsigned caps;		     /* ENGINE_* */
	const struct engine_state_ops *state;
	const struct engine_layer_ops *layers;
	/*
	 * Compute attempt number `attempt` into *out (made by routes_new, owned
	 * by the caller on ENGINE_OK, NULL otherwise). keep: entries of
	 * job->prev are kept wherever their port is still legal; otherwise
	 * only the switch order is kept. arena is for scratch.
	 */
	enum engine_result (*route)(const struct route_job *job, bool keep,
		unsigned attempt, struct arena *arena, struct routes **out,
		struct reason *why);
};

#endif
