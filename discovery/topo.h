/*
 * topo: the topology, an immutable value.
 *
 * Discovery keeps what the fabric says in a mutable builder; builder_freeze
 * makes the topology from it. From then on routing, distribution, the SA and
 * the control socket read the same numbers. Flat arrays, small integer handles,
 * no pointer inside an element, so that a topology can be hashed, diffed,
 * dumped and loaded again. Numbered by generation, counted by reference.
 *
 * A node with N ports owns N + 1 consecutive records in port[]: the record of
 * port number n is first_port + n. Port 0 of a switch is its management port
 * and carries its LID; port 0 of a CA or router is a placeholder (TP_ABSENT).
 *
 * IBA volume 1: NodeInfo 14.2.5.3, SwitchInfo 14.2.5.4, PortInfo 14.2.5.6.
 *
 * Folder discovery: what the fabric answers -> builder/ (mutable) -> the
 * topology (immutable); sweep/ asks, text/ reads and prints files. Callers:
 * routing, distribution, sm/policy, sm/view, sm/sa, sm/report, sm/what_if and
 * sm/audit read topologies; sm/core has them made. Read next:
 * discovery/builder/builder.h, then discovery/sweep/sweep.h.
 */
#ifndef HEDDLE_DISCOVERY_TOPO_H
#define HEDDLE_DISCOVERY_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/mad/port_values.h"

typedef uint32_t node_ix; /* index into topo.node */
typedef uint32_t port_ix; /* index into topo.port */
typedef uint32_t sw_ix;	  /* index into topo.sw */

#define TOPO_NONE UINT32_MAX /* "no such node, port or switch" */
#define TOPO_LID_MAX LID_UNICAST_MAX
#define TOPO_MAX_HOPS 63 /* directed-route hop limit (IBA 14.2.2) */

enum topo_type { TOPO_CA = 1, TOPO_SWITCH = 2, TOPO_ROUTER = 3 };

/* topo_node.flags */
enum {
	TN_AGGREGATION = 1 << 0, /* SHARP aggregation node: a destination, not
				    a compute node, and no sign of a leaf */
	TN_DUPLICATE = 1 << 1,	 /* another node has the same GUID */
	TN_PARTIAL = 1 << 2,	 /* some attribute could not be read */
	TN_QUARANTINED = 1 << 3, /* does not answer or refuses its tables: no
				    transit through it, nothing is written */
	TN_ENHANCED_P0 = 1 << 4, /* switch port 0 is enhanced (LMC, VLs) */
	TN_SM = 1 << 5,		 /* our own node */
	TN_FRESH = 1 << 6,    /* all its ports are in Init: nothing to keep */
	TN_BAD_ROLE = 1 << 7, /* its answer about its role is no role */
};

/* topo_port.flags */
enum {
	TP_ABSENT = 1 << 0,    /* never seen (other rail of a CA, CA port 0) */
	TP_UNREAD = 1 << 1,    /* linked, but PortInfo was not answered */
	TP_EXT_SPEED = 1 << 2, /* was read with modifier bit 31, for extended
				  speeds: it is Set with it */
	TP_SELF = 1 << 3,      /* its link comes back to the same node */
	TP_IS_SM = 1 << 4,     /* CapabilityMask says an SM runs here */
	TP_OURS = 1 << 5,      /* the port we send from */
	TP_DRAINED = 1 << 6,   /* its link is to carry no routes; of port 0 of a
				  switch: the switch is to pass nothing on */
	TP_IDLE = 1 << 7,      /* its link carries no routes, being drained:
				  it is none of topo.adj; of port 0: the hosts
				  of a drained switch have one neighbour left */
};

struct topo_port {
	uint64_t guid;	  /* of CA and router ports and switch port 0, else 0 */
	port_ix peer;	  /* the other end of the link, or TOPO_NONE */
	node_ix node;	  /* the node of this port */
	uint32_t capmask; /* PortInfo.CapabilityMask */
	uint16_t capmask2;
	uint16_t lid;	    /* base LID it shall have; 0: none */
	uint16_t found_lid; /* base LID it had when it was read */
	uint8_t lmc;	    /* LMC it shall have */
	uint8_t num;	    /* port number */
	uint8_t state;	    /* enum port_state, as read */
	uint8_t phys;	    /* enum port_phys, as read */
	uint8_t mtu_cap;    /* IBA MTU code, 1..5 = 256..4096 */
	uint8_t mtu;	    /* NeighborMTU as read */
	uint8_t vl_cap;	    /* VLCap code, 1..5 = 1,2,4,8,15 VLs */
	uint8_t op_vls;	    /* OperationalVLs as read */
	uint8_t width;	    /* enum port_width, active */
	uint8_t speed;	    /* enum port_speed, active */
	uint8_t speed_ext;  /* enum port_speed_ext, active; 0: none */
	uint8_t flags;	    /* TP_* */
};

struct topo_node {
	uint64_t guid;
	uint64_t sysimg;    /* SystemImageGUID */
	port_ix first_port; /* record of port number 0 */
	port_ix via;	    /* the neighbour's port through which our directed
			       route arrives; TOPO_NONE for our own node */
	sw_ix sw;	    /* index as a switch, or TOPO_NONE */
	uint32_t desc;	    /* NodeDescription: offset into topo.text */
	uint32_t vendor;    /* 24 bits */
	uint32_t revision;
	uint16_t device;
	uint16_t partition_cap; /* P_Keys that a port's table holds */
	uint16_t hops;		/* length of our directed route to it */
	uint8_t type;		/* enum topo_type */
	uint8_t nports;		/* NumPorts */
	uint8_t flags;		/* TN_* */
	uint8_t role;		/* enum mad_role_kind, as reported */
};

/* A switch as the routing sees it. */
struct topo_switch {
	node_ix node;
	uint32_t adj; /* its links: topo.adj[adj .. adj + nadj) */
	uint32_t end; /* its end ports: topo.end[end .. end + nend) */
	uint16_t nadj;
	uint16_t nend;
	uint16_t lft_cap; /* LinearFDBCap: number of entries */
	uint16_t lft_top; /* LinearFDBTop as read */
	uint16_t mft_cap;
	uint16_t enf_cap; /* P_Keys that an external port enforces; 0: none */
	uint16_t nhost;	  /* of its end ports, how many are compute hosts' */
	uint8_t nself;	  /* links from it to itself */
	uint8_t life;	  /* LifeTimeValue as read */
	bool changed;	  /* PortStateChange as read */
	bool opt_sl2vl;	  /* optimized SL2VL programming */
};

/*
 * One end of a link between two different switches, sorted by (switch, peer,
 * out). Parallel links are separate entries; a link from a switch to itself is
 * none. Quarantined switches keep their entries: routing must skip them. Links
 * that are idle have none: no route is made over them, while topo.port says
 * where they lead, so that packets that old tables send there are known.
 */
struct topo_adj {
	sw_ix peer;
	uint8_t out;	   /* our port number */
	uint8_t peer_port; /* the port number at the other end */
	uint16_t rate;	   /* in units of 100 Mb/s (link_rate.h); rate_max where
			      the ports do not tell */
};

/*
 * A port that owns LIDs and is attached to a switch: the switch's own port 0
 * (first, out = 0), then the CA and router ports linked to it, sorted by out.
 */
struct topo_end {
	port_ix port;
	uint8_t out; /* switch port number that leads to it */
	bool host;   /* a compute host's: neither the switch itself nor an
			aggregation node */
};

struct topo {
	unsigned refs;
	uint32_t generation;
	uint64_t hash; /* of everything that routing depends on */

	uint32_t nnodes, nports, nsw, nadj, nend;
	struct topo_node *node; /* our own node first, then by distance, GUID */
	struct topo_port *port;
	struct topo_switch *sw; /* in the order of node[] */
	struct topo_adj *adj;
	struct topo_end *end;
	uint32_t *info_at; /* per port: its PortInfo as last read, see below */
	uint8_t (
		*info)[64]; /* PortInfos, wire bytes; the first is all zeroes */
	uint8_t (*sinfo)[64]; /* per switch: SwitchInfo, wire bytes */
	char *text;	      /* descriptions, zero-terminated */

	/* Rates of links between live switches, as in topo_adj, and of the
	 * fastest link of a compute host, at most rate_max; all at least 1. */
	uint16_t rate_min, rate_max, rate_host;

	port_ix sm_port;  /* the port we send from */
	uint16_t max_lid; /* highest LID in use, LMC ranges included */
	port_ix *by_lid;  /* [max_lid + 1]: LID -> port or TOPO_NONE */

	uint32_t ntext; /* bytes of text */
	uint32_t nguid; /* ports that have a GUID */
	uint32_t ninfo;
	node_ix *by_node;  /* [nnodes]: sorted by node GUID, then index */
	port_ix *by_pguid; /* [nguid]: sorted by port GUID, then index */
};

/* The dimensions of a topology to be made. */
struct topo_dims {
	uint32_t nnodes, nports, nsw, nadj, nend;
	uint32_t ntext; /* bytes, at least 1 */
	uint32_t nguid;
	uint32_t ninfo; /* at least 1 */
	uint16_t max_lid;
};

/*
 * For the makers of topologies (builder_freeze, topo_with_lids): an empty one
 * of these dimensions, all but by_lid in one block, with one reference. Fill
 * the arrays, then topo_seal it; only then may other modules see it.
 */
struct topo *topo_new(const struct topo_dims *dims);

/* Build the indexes and the hash of a filled topology, and find its rates. */
void topo_seal(struct topo *t);

/* Another reference to t (NULL allowed); returns t. */
struct topo *topo_ref(struct topo *t);

/* Drop a reference; the last one frees. NULL is a no-op. */
void topo_unref(struct topo *t);

/* The port record of port number num of node n; num <= nports. */
static inline port_ix
topo_port_of(const struct topo *t, node_ix n, unsigned num)
{
	return t->node[n].first_port + num;
}

/* True if switch s takes part, that is, is not quarantined. */
static inline bool
topo_sw_live(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_QUARANTINED) == 0;
}

/* True for a compute node: neither a switch nor an aggregation node. A router
 * counts as one, since it sends and receives as a host does. */
static inline bool
topo_is_host_node(const struct topo *t, node_ix n)
{
	return t->node[n].type != TOPO_SWITCH &&
	       (t->node[n].flags & TN_AGGREGATION) == 0;
}

/* True for a port of a compute node with a LID. topo_end.host says the first
 * half of it for a port that is linked to a switch. */
static inline bool
topo_is_host(const struct topo *t, port_ix p)
{
	return t->port[p].lid != 0 && topo_is_host_node(t, t->port[p].node);
}

/* The switch that a port is part of, or TOPO_NONE. */
static inline sw_ix
topo_port_switch(const struct topo *t, port_ix p)
{
	return p == TOPO_NONE ? TOPO_NONE : t->node[t->port[p].node].sw;
}

/* A step of a path: the port that packets reach which leave switch s by port
 * out; TOPO_NONE: out is 0, is no port of s, or has no link. */
static inline port_ix
topo_port_behind(const struct topo *t, sw_ix s, unsigned out)
{
	const struct topo_node *n = &t->node[t->sw[s].node];

	return out > 0 && out <= n->nports ? t->port[n->first_port + out].peer
					   : TOPO_NONE;
}

/* PortInfo of port p as last read, wire bytes; zeroes where it was not. */
static inline const uint8_t *
topo_info(const struct topo *t, port_ix p)
{
	return t->info[t->info_at[p]];
}

/* Entries of a list of VLArbitrationTable at port p, at most TOPO_VL_ENTRIES;
 * 0: it has none, or is not known. */
enum { TOPO_VL_ENTRIES = 64 };
unsigned topo_vl_list(const struct topo *t, port_ix p, bool high);

/*
 * The connected pieces of the live switches: piece[nsw] is the lowest switch of
 * a switch's piece, TOPO_NONE for switches in quarantine. Links of a port 255,
 * which no table can name, connect nothing. Returns how many there are.
 */
uint32_t topo_pieces(const struct topo *t, sw_ix *piece);

/* A node's name for people: its description in quotes, or its GUID. */
struct topo_name {
	char s[72];
};
struct topo_name topo_name(const struct topo *t, node_ix n);

/* Port, or TOPO_NONE, that owns this LID; *path (NULL allowed) = path index. */
port_ix topo_by_lid(const struct topo *t, uint16_t lid, unsigned *path);

/* Node with this node GUID, or TOPO_NONE (the first of duplicates). */
node_ix topo_by_node_guid(const struct topo *t, uint64_t guid);

/* The switch of another topology with the node GUID of switch s of t, or
 * TOPO_NONE. */
sw_ix topo_switch_in(const struct topo *was, const struct topo *t, sw_ix s);
/* True if both have the same switches by the same numbers, the same ones live.
 */
bool topo_same_switches(const struct topo *a, const struct topo *b);
/* True if switch s, by the same number in both, has the same links at the same
 * rates. */
bool topo_same_links(const struct topo *a, const struct topo *b, sw_ix s);

/* Port with this port GUID, or TOPO_NONE (the first of duplicates). */
port_ix topo_by_port_guid(const struct topo *t, uint64_t guid);

/* NodeDescription of n, "" when it was not read. */
const char *topo_desc(const struct topo *t, node_ix n);

/*
 * The directed route from us to node n: path[1..return value] are the egress
 * ports, path[0] is 0 as on the wire. -1 when n is farther than 63 hops.
 */
int topo_route(const struct topo *t, node_ix n, uint8_t path[64]);

/*
 * The same to the SMA that answers for port p. A switch has one for all its
 * ports. Each port of a CA or router has its own, which takes what comes in by
 * that port: the route leads to the far end of the port's link and over it. To
 * our own port it has no hops. -1: too far, or there is no such link.
 */
int topo_route_port(const struct topo *t, port_ix p, uint8_t path[64]);

/*
 * What tells that SMA from all others: the port's GUID, a switch's node GUID.
 */
uint64_t topo_sma_guid(const struct topo *t, port_ix p);

/*
 * True if p is the near end of its link (it must have one): SMPs to it do not
 * cross that link, those to the far end may.
 */
bool topo_is_near_end(const struct topo *t, port_ix p);

/*
 * The switch of a switch port, or the one that a CA or router port is linked
 * to, or TOPO_NONE.
 */
sw_ix topo_switch_of(const struct topo *t, port_ix p);

/*
 * True for a port that owns LIDs: present CA and router ports, and switch
 * port 0.
 */
bool topo_has_lid(const struct topo *t, port_ix p);

/* LIDs and LMCs per port, as routing/core/lid.c assigns them: [t->nports] each.
 */
struct topo_lids {
	const uint16_t *lid;
	const uint8_t *lmc;
};

/* True when this vendor and device is a SHARP aggregation node. */
bool topo_is_aggregation(uint32_t vendor, uint16_t device);

/*
 * A copy of t in which every port has the given LID and LMC, with by_lid and
 * max_lid built. The ranges must be disjoint and inside 1..TOPO_LID_MAX: the
 * caller (lid_assign) guarantees it; violations are asserted.
 */
struct topo *topo_with_lids(const struct topo *t, const struct topo_lids *l);

/*
 * The same, but takes over a reference to t: where it is the only one, t itself
 * is changed and returned.
 */
struct topo *topo_give_lids(struct topo *t, const struct topo_lids *l);

#endif
