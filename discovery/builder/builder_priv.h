/*
 * draft, from the inside: for draft*.c and sweep*.c only. Nodes are handles
 * into an array of pointers; a node owns its port records. Ports hold both the
 * wire's PortInfo and what was decoded from it once, so that freezing copies
 * and does not decode.
 */
#ifndef HEDDLE_DISCOVERY_BUILDER_BUILDER_PRIV_H
#define HEDDLE_DISCOVERY_BUILDER_BUILDER_PRIV_H

#include "discovery/builder/builder.h"
#include "discovery/builder/portinfo_pool.h"
#include "sm/base/map.h"
#include "sm/mad/mad.h"

#define DRAFT_NONE UINT32_MAX
#define DRAFT_MAX_NODES (1U << 17) /* beyond that somebody makes them up */

/* draft_port.marks, besides the TP_* in flags */
enum {
	DP_READ = 1 << 0,  /* PortInfo was read (or made up by hand) */
	DP_NOEXT = 1 << 1, /* refused modifier bit 31 */
	DP_EXT = 1 << 2,   /* was last read with modifier bit 31 */
};

struct draft_port {
	uint64_t guid;
	draft_id peer; /* DRAFT_NONE: no cable known */
	uint32_t seen; /* the sweep that confirmed the cable */
	uint32_t read; /* the sweep that read PortInfo */
	uint32_t capmask;
	uint16_t capmask2, lid;
	uint8_t peer_port;
	uint8_t lmc, state, phys, mtu_cap, mtu, vl_cap, op_vls;
	uint8_t width, speed, speed_ext;
	uint8_t flags, marks;
	info_ref info;
};

/* How a node is reached from us, by the last draft_route. */
enum draft_reach {
	DRAFT_UNREACHED,
	DRAFT_CLEAN,  /* over switches that work */
	DRAFT_BEHIND, /* only through a quarantined one */
};

/* What is known of a switch's role. */
enum draft_role {
	DRAFT_ROLE_UNASKED,
	DRAFT_ROLE_TOLD,
	DRAFT_ROLE_REFUSED, /* it does not know the attribute */
	DRAFT_ROLE_SILENT,
	DRAFT_ROLE_BAD, /* what it answered is something else */
};

struct draft_node {
	uint64_t guid, sysimg;
	draft_id next; /* the next node with the same GUID */
	draft_id via;  /* our directed route comes from there ... */
	uint32_t seen; /* the sweep that found it */
	uint32_t vendor, revision;
	uint32_t ix; /* draft_freeze: its node_ix */
	uint16_t device, hops, partition_cap;
	uint16_t lft_cap, lft_top, mft_cap, enf_cap;
	uint8_t via_port; /* ... through this port of it */
	uint8_t type, nports;
	uint8_t flags; /* TN_DUPLICATE, TN_PARTIAL, TN_ENHANCED_P0 */
	uint8_t reach; /* enum draft_reach */
	uint8_t life;
	uint8_t role, role_state; /* enum mad_role_kind, enum draft_role */
	bool changed, opt_sl2vl;
	uint8_t switch_info[64];
	char *desc;		  /* NULL: not read */
	char *quarantine;	  /* why; NULL: it is not */
	struct draft_port port[]; /* nports + 1 */
};

struct draft {
	struct draft_node **node; /* NULL: free */
	draft_id nnodes;	  /* handles in use and free below this */
	size_t cap;
	draft_id live;	    /* nodes that exist */
	draft_id free_at;   /* no free handle below this one */
	struct map by_guid; /* the first node of each GUID */
	struct infos infos; /* of all ports */
	draft_id self;
	unsigned self_port;
	bool routed;	 /* what draft_route found is how it is */
	bool touched;	 /* see draft_touched */
	uint32_t sweep;	 /* number of the last sweep */
	draft_id *order; /* draft_route: who is reached, by (hops, GUID) */
	size_t norder, order_cap;
	struct draft_device *role_device; /* that are asked for a role */
	size_t nrole_device;
	struct buf oddity;
	unsigned noddities, oddities_lost;
};

/* The node behind a handle. */
static inline struct draft_node *
draft_node(const struct draft *d, draft_id n)
{
	return d->node[n];
}

/* A node without a cable; 0 ports is possible. DRAFT_NONE: too many. */
draft_id draft_node_new(
	struct draft *d, uint64_t guid, uint8_t type, uint8_t nports);

/* Unplug and forget a node. */
void draft_node_drop(struct draft *d, draft_id n);

/* A cable; what either end was cabled to before is unplugged. */
void draft_link(
	struct draft *d, draft_id a, uint8_t pa, draft_id b, uint8_t pb);

/* Forget the cable of a port, at both ends. True if there was one. */
bool draft_unlink(struct draft *d, draft_id n, uint8_t port);

/*
 * Find the way to every node: via, hops, reach and d->order. Fewest hops over
 * switches that are not quarantined, then what only those lead to. Whoever
 * changes one of these takes d->routed back; while it stands this costs
 * nothing.
 */
void draft_route(struct draft *d);

/* Note an oddity: one line. */
void draft_odd(struct draft *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "S-guid port 3" style name of a node for messages, in out. */
const char *draft_name(const struct draft *d, draft_id n, char out[96]);

/* Quarantine one node (not all of its GUID); why NULL: release it. */
void draft_node_quarantine(struct draft *d, draft_id n, const char *why);

/* Make n a node of another kind, as new: no cables, nothing read. */
void draft_node_reset(
	struct draft *d, draft_id n, uint8_t type, uint8_t nports);

/* Is this a switch to ask for its role? again: what it told may be old. */
bool draft_wants_role(const struct draft *d, draft_id n, bool again);

/* A link that SMPs pass: LinkUp and at least in Init. */
static inline bool
draft_up(const struct draft_port *p)
{
	return p->phys == 5 && p->state >= 2;
}

/*
 * Take in a PortInfo; ext: it was asked with modifier bit 31. 1 when anything
 * that others see is different from before, 0 when not, -1 when it makes no
 * sense (reason).
 */
int draft_port_info(struct draft *d, draft_id n, uint8_t port,
	const uint8_t info[64], bool ext, struct reason *why);

/* Take in a SwitchInfo; -1 when it makes no sense (reason). */
int draft_switch_info(struct draft *d, draft_id n, const uint8_t info[64],
	struct reason *why);

#endif
