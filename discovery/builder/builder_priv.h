/*
 * The inside of the builder, for builder*.c and discovery/sweep/ only. Nodes
 * are handles into an array of pointers; a node owns its port records. Ports
 * hold both the wire bytes of PortInfo and what was decoded from them once, so
 * that freezing copies and does not decode.
 */
#ifndef HEDDLE_DISCOVERY_BUILDER_BUILDER_PRIV_H
#define HEDDLE_DISCOVERY_BUILDER_BUILDER_PRIV_H

#include "discovery/builder/builder.h"
#include "discovery/builder/portinfo_pool.h"
#include "sm/base/map.h"
#include "sm/mad/mad.h"

#define BUILDER_NONE UINT32_MAX
#define BUILDER_MAX_NODES (1U << 17) /* more can only be made up */

/* builder_port.marks, besides the TP_* in flags */
enum {
	DP_READ = 1 << 0,  /* PortInfo was read (or made up by hand) */
	DP_NOEXT = 1 << 1, /* refused modifier bit 31; of a switch: port 0 */
	DP_IDLE = 1 << 2,  /* builder_choose_idle: its link carries no routes */
};

struct builder_port {
	uint64_t guid;
	builder_id peer; /* BUILDER_NONE: no link known */
	uint32_t seen;	 /* the sweep that confirmed the link */
	uint32_t read;	 /* the sweep that read PortInfo */
	uint32_t capmask;
	uint16_t capmask2, lid;
	uint8_t peer_port;
	uint8_t lmc, state, phys, mtu_cap, mtu, vl_cap, op_vls;
	uint8_t width, speed, speed_ext;
	uint8_t flags, marks;
	info_ref info;
};

/* How a node is reached from us, by the last builder_route. */
enum builder_reach {
	BUILDER_UNREACHED,
	BUILDER_CLEAN,	 /* over switches that work */
	BUILDER_BEHIND,	 /* only through a quarantined one */
	BUILDER_CUT_OFF, /* only through one that does not answer */
};

/* What is known of a switch's role. */
enum builder_role {
	BUILDER_ROLE_UNASKED,
	BUILDER_ROLE_TOLD,
	BUILDER_ROLE_REFUSED, /* it does not know the attribute */
	BUILDER_ROLE_SILENT,
	BUILDER_ROLE_BAD, /* its answer is no role */
};

struct builder_node {
	uint64_t guid, sysimg;
	builder_id next; /* the next node with the same GUID */
	builder_id via;	 /* our directed route comes from there ... */
	uint32_t seen;	 /* the sweep that found it */
	uint32_t vendor, revision;
	uint32_t ix; /* builder_freeze: its node_ix */
	uint16_t device, hops, partition_cap;
	uint16_t lft_cap, lft_top, mft_cap, enf_cap;
	uint8_t via_port; /* ... through this port of it */
	uint8_t type, nports;
	uint8_t flags; /* TN_DUPLICATE, TN_PARTIAL, TN_ENHANCED_P0 */
	uint8_t reach; /* enum builder_reach */
	uint8_t life;
	uint8_t role, role_state; /* enum mad_role_kind, enum builder_role */
	bool changed, opt_sl2vl;
	bool keeps_rows; /* see builder_keeps_rows */
	bool silent;	 /* quarantined because it does not answer: it passes no
			    directed routes on */
	bool was_cut;	 /* cut off since it was last read */
	uint8_t switch_info[64];
	char *desc;		    /* NULL: not read */
	char *quarantine;	    /* why; NULL: it is not */
	struct builder_port port[]; /* nports + 1 */
};

struct builder {
	struct builder_node **node; /* NULL: free */
	builder_id nnodes;	    /* handles in use and free below this */
	size_t cap;
	builder_id live;	    /* nodes that exist */
	builder_id free_at;	    /* no free handle below this one */
	struct map by_guid;	    /* the first node of each GUID */
	struct portinfo_pool infos; /* of all ports */
	builder_id self;
	unsigned self_port;
	bool routed;	   /* the result of builder_route is current */
	bool touched;	   /* see builder_touched */
	uint32_t sweep;	   /* number of the last sweep */
	uint8_t vl_cap;	   /* see builder_assume_vls */
	builder_id *order; /* builder_route: nodes reached, by (hops, GUID) */
	size_t norder, order_cap;
	struct builder_device *role_device; /* kinds to ask for a role */
	size_t nrole_device;
	struct buf oddity;
	unsigned noddities, oddities_lost;
};

/* The node behind a handle. */
static inline struct builder_node *
builder_node(const struct builder *d, builder_id n)
{
	return d->node[n];
}

/* A node without links; 0 ports is possible. BUILDER_NONE: too many. */
builder_id builder_node_new(
	struct builder *d, uint64_t guid, uint8_t type, uint8_t nports);

/* Remove a node and its links. */
void builder_node_drop(struct builder *d, builder_id n);

/* A link; an earlier one of either end is removed. */
void builder_link(
	struct builder *d, builder_id a, uint8_t pa, builder_id b, uint8_t pb);

/* Remove the link of a port, at both ends. True if there was one. */
bool builder_unlink(struct builder *d, builder_id n, uint8_t port);

/*
 * Find the directed route to every node: via, hops, reach and d->order. Fewest
 * hops over switches that are not quarantined, then what only the quarantined
 * ones lead to, then what is cut off by silent ones. Code that changes links,
 * quarantine or our own port clears d->routed; while it is set, this costs
 * nothing.
 */
void builder_route(struct builder *d);

/*
 * Of the links between switches that are drained, mark those that no routes
 * need (DP_IDLE, at both ends); of all others that mark is cleared. Needs
 * d->order; builder_drain.c has the rules.
 */
void builder_choose_idle(struct builder *d);

/* Note an oddity: one line. */
void builder_add_oddity(struct builder *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Name of a node for messages, in out: its kind, and NodeDescription or GUID.
 */
const char *builder_name(const struct builder *d, builder_id n, char out[96]);

/* Quarantine one node (not all nodes of its GUID); why NULL: release it. */
void builder_node_quarantine(struct builder *d, builder_id n, const char *why);

/* The same, because it does not answer. */
void builder_node_silence(struct builder *d, builder_id n, const char *why);

/* Make n a node of another kind, as new: no links, nothing read. */
void builder_node_reset(
	struct builder *d, builder_id n, uint8_t type, uint8_t nports);

/*
 * True if n is a switch to ask for its role. again: even if it was asked
 * before.
 */
bool builder_wants_role(const struct builder *d, builder_id n, bool again);

/* A link that SMPs pass: LinkUp and at least in Init. */
static inline bool
builder_up(const struct builder_port *p)
{
	return p->phys == PORT_PHYS_LINK_UP && p->state >= PORT_INIT;
}

/* True if a port that was read says that it knows modifier bit 31. */
static inline bool
builder_has_ext(const struct builder_port *p)
{
	return (p->capmask & MAD_CAP_EXT_SPEEDS) != 0 &&
	       (p->marks & DP_NOEXT) == 0;
}

/*
 * Store a PortInfo; ext: it was asked with modifier bit 31. 1 when anything
 * that other modules see is different from before, 0 when not, -1 when it makes
 * no sense (reason).
 */
int builder_port_info(struct builder *d, builder_id n, uint8_t port,
	const uint8_t info[64], bool ext, struct reason *why);

/* Store a SwitchInfo; -1 when it makes no sense (reason). */
int builder_switch_info(struct builder *d, builder_id n, const uint8_t info[64],
	struct reason *why);

#endif
