/*
 * fabric: the tests' own description of a fabric - nodes, ports, cables.
 *
 * Generators make one, importers read one from a file, the simulated fabric is
 * built from one, and writers print one for other people's simulators. It
 * shares nothing with discovery/topo on purpose: two independent models cannot
 * agree on the same mistake.
 *
 * A node with N ports owns N + 1 consecutive records in port[]: port number n
 * is port[node.first + n]. Port 0 of a switch carries its LID and GUID; port 0
 * of a CA or router is a placeholder.
 *
 * A fabric only grows; fabric_rebuild makes an edited copy.
 */
#ifndef HEDDLE_TESTS_TOPO_FABRIC_H
#define HEDDLE_TESTS_TOPO_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/arena.h"
#include "sm/base/reason.h"

#define FABRIC_NONE UINT32_MAX

enum { FABRIC_MAX_PORTS = 255 };

enum fabric_type { FABRIC_CA = 1, FABRIC_SWITCH = 2, FABRIC_ROUTER = 3 };

struct fabric_port {
	uint64_t guid;	/* of CA and router ports and switch port 0, else 0 */
	uint32_t cable; /* index into cable[], or FABRIC_NONE */
	uint16_t lid;	/* as a capture says, or 0 */
	uint8_t lmc;
};

/* What a node is beyond its cables; zeroes: nothing special. See note.h. */
struct fabric_attrs {
	bool has_role;		    /* a switch that answers SwitchRole ... */
	bool role_fixed;	    /* ... and lets nobody change it */
	uint8_t role, level, plane; /* as in the attribute */
	uint16_t tree;
	uint32_t pod, index;
	bool ar;	     /* adaptive routing, Rev1 */
	uint8_t sub_groups;  /* ... with so many sub-groups in a group */
	uint16_t groups;     /* ... and so many groups */
	uint16_t queue;	     /* SMPs that may wait; 0: as everywhere */
	uint32_t service_ns; /* time of its SMA per SMP; 0: as everywhere */
	uint32_t hop_ns;     /* time of what leaves it; 0: as everywhere */
};

struct fabric_node {
	uint64_t guid, sysimg;
	const char *name; /* NodeDescription, in the fabric's arena */
	const char *id;	  /* as its file calls it; NULL: S-GUID, H-GUID */
	uint32_t first;	  /* port[] record of port number 0 */
	uint32_t vendor;
	uint16_t device;
	uint8_t type; /* enum fabric_type */
	uint8_t nports;
	bool enhanced_p0;
	struct fabric_attrs attrs;
};

/* Link rates as they are coded in PortInfo (IBA 14.2.5.6). */
struct fabric_rate {
	uint8_t width;	   /* 1 1x, 2 4x, 4 8x, 8 12x, 16 2x */
	uint8_t speed;	   /* 1 SDR, 2 DDR, 4 QDR */
	uint8_t speed_ext; /* 0 none, 1 FDR, 2 EDR, 4 HDR, 8 NDR, 16 XDR */
	bool fdr10;	   /* the vendor's speed on top of QDR */
};

struct fabric_cable {
	uint32_t node[2];
	uint8_t port[2];
	struct fabric_rate rate;
};

struct fabric {
	struct arena *arena; /* names */
	struct fabric_node *node;
	struct fabric_port *port;
	struct fabric_cable *cable;
	uint32_t nnodes, nports, ncables;
	uint32_t nswitches, nhosts; /* hosts: CAs and routers */
	size_t node_cap, port_cap, cable_cap;
};

/* An empty fabric; fabric_free takes NULL too. */
struct fabric *fabric_new(void);
void fabric_free(struct fabric *f);

/*
 * Add a node and return its index. GUIDs are made from type and index, port n
 * of a CA getting guid + n (ibsim numbers ports like that); change the fields
 * afterwards if others are wanted. name is copied.
 */
uint32_t fabric_add(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *name);

/* fabric_add with a printf-like name. */
uint32_t fabric_addf(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Cable port pa of node a to port pb of node b at 4x HDR. The cable's index, or
 * FABRIC_NONE and a reason when a port does not exist or is taken.
 */
uint32_t fabric_connect(struct fabric *f, uint32_t a, unsigned pa, uint32_t b,
	unsigned pb, struct reason *why);

/* The record of port number n of a node; both must exist. */
struct fabric_port *fabric_port(
	const struct fabric *f, uint32_t node, unsigned n);

/* Where the cable in port n of node leads; false when there is none. */
bool fabric_peer(const struct fabric *f, uint32_t node, unsigned n,
	uint32_t *peer, unsigned *peer_port);

/* The lowest port number from 1 that has no cable, or 0 when all have. */
unsigned fabric_free_port(const struct fabric *f, uint32_t node);

/* Number of cables in a node; a self-loop counts twice. */
unsigned fabric_degree(const struct fabric *f, uint32_t node);

/* The node with this name, or FABRIC_NONE. */
uint32_t fabric_find(const struct fabric *f, const char *name);

/* The first CA, or FABRIC_NONE: where an SM sits if nobody says otherwise. */
uint32_t fabric_first_host(const struct fabric *f);

/*
 * Is every node reachable from node 0, hosts passing nothing on? drop_cable
 * and drop_node (FABRIC_NONE: none) are treated as absent; hosts without any
 * cable left because of that are not counted.
 */
bool fabric_connected(
	const struct fabric *f, uint32_t drop_cable, uint32_t drop_node);

/*
 * Are they the same fabric: the same GUIDs, types, names, ports and cables, in
 * any order? False and a reason naming the first difference otherwise.
 */
bool fabric_equal(
	const struct fabric *a, const struct fabric *b, struct reason *why);

/* How fabric_rebuild changes a fabric; any pointer may be NULL. */
struct fabric_edit {
	const bool *drop_node;	 /* [nnodes] */
	const bool *drop_cable;	 /* [ncables] */
	const uint8_t *nports;	 /* [nnodes]: new port count, 0 keeps */
	const uint8_t *add_port; /* [nnodes]: added to every port number */
	bool drop_orphans;	 /* leave out hosts that lost every cable */
};

/* A copy of f with the edits applied; indexes may change, GUIDs do not. */
struct fabric *fabric_rebuild(
	const struct fabric *f, const struct fabric_edit *e);

/* The text of a rate ("4xHDR"), and back; false when it is not one. */
void fabric_rate_print(const struct fabric_rate *r, char out[16]);
bool fabric_rate_parse(const char *s, size_t n, struct fabric_rate *r);

#endif
