/*
 * fabric: the tests' own description of a fabric - nodes, ports, cables.
 *
 * Generators make one, importers read one from a file, the simulated fabric is
 * built from one, and writers print one for other simulators. It shares nothing
 * with discovery/topo on purpose: two independent models do not make the same
 * mistake. A cable is a link in the words of the product.
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
#include "tests/scope.h"

#define FABRIC_NONE UINT32_MAX

enum { FABRIC_MAX_PORTS = 255 };

enum fabric_type { FABRIC_CA = 1, FABRIC_SWITCH = 2, FABRIC_ROUTER = 3 };

struct fabric_port {
	uint64_t guid;	/* of CA and router ports and switch port 0, else 0 */
	uint32_t cable; /* index into cable[], or FABRIC_NONE */
	uint16_t lid;	/* as in a capture, or 0 */
	uint8_t lmc;
};

/* Attributes of a node beyond its links; zeroes: the defaults. See note.h. */
struct fabric_attrs {
	bool has_role;		    /* a switch that answers SwitchRole ... */
	bool role_fixed;	    /* ... which cannot be set */
	uint8_t role, level, plane; /* as in the attribute */
	uint16_t tree;
	uint32_t pod, index;
	bool ar;	     /* adaptive routing: Rev1, or of kind escapes */
	bool ar_lft_stops;   /* ... a Set of the LFT switches it off */
	bool ar_all_sls;     /* ... it does not tell SLs apart */
	bool ar_late;	     /* ... groups as of Rev1, of kind escapes */
	uint8_t interleave;  /* ... kind escapes: entries in a row; 0: Rev1 */
	uint8_t sub_groups;  /* ... sub-groups in a group */
	uint16_t groups;     /* ... number of groups */
	uint16_t queue;	     /* SMPs waiting, at most; 0: the default */
	uint32_t service_ns; /* of its SMA per SMP; 0: the default */
	uint32_t hop_ns;     /* of packets that leave it; 0: the default */
};

struct fabric_node {
	uint64_t guid, sysimg;
	const char *name; /* NodeDescription, in the fabric's arena */
	const char *id;	  /* as in its file; NULL: S-GUID, H-GUID */
	uint32_t first;	  /* port[] record of port number 0 */
	uint32_t vendor;
	uint16_t device;
	uint8_t type; /* enum fabric_type */
	uint8_t nports;
	bool enhanced_p0;
	struct fabric_attrs attrs;
};

/* Link rates as coded in PortInfo (IBA 14.2.5.6). */
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
AUTO_POINTER(fabric, struct fabric, fabric_free)

/*
 * Add a node and return its index. GUIDs are made from type and index, port n
 * of a CA gets guid + n (as ibsim numbers ports); change the fields afterwards
 * for others. name is copied.
 */
uint32_t fabric_add(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *name);

/* fabric_add with a printf-like name. */
uint32_t fabric_addf(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Link port pa of node a to port pb of node b at 4x HDR. The cable's index, or
 * FABRIC_NONE and a reason if a port does not exist or is taken.
 */
uint32_t fabric_connect(struct fabric *f, uint32_t a, unsigned pa, uint32_t b,
	unsigned pb, struct reason *why);

/* Plug the links of two ports the wrong way round; both have one, and it is not
 * the same. */
void fabric_swap(
	struct fabric *f, uint32_t a, unsigned pa, uint32_t b, unsigned pb);

/* The record of port number n of a node; both must exist. */
struct fabric_port *fabric_port(
	const struct fabric *f, uint32_t node, unsigned n);

/* The far end of the link at port n of a node; false if there is none. */
bool fabric_peer(const struct fabric *f, uint32_t node, unsigned n,
	uint32_t *peer, unsigned *peer_port);

/* The nth link between two switches, by its end of the lower number; false:
 * there are fewer. */
bool fabric_switch_link(
	const struct fabric *f, unsigned nth, uint32_t *node, unsigned *port);

/* The lowest port number from 1 without a link, or 0 if all have one. */
unsigned fabric_free_port(const struct fabric *f, uint32_t node);

/* Number of links of a node; a self-loop counts twice. */
unsigned fabric_degree(const struct fabric *f, uint32_t node);

/* The node with this name, or FABRIC_NONE. */
uint32_t fabric_find(const struct fabric *f, const char *name);

/* The first CA, or FABRIC_NONE: the default node of an SM. */
uint32_t fabric_first_host(const struct fabric *f);

/*
 * True if every node is reachable from the first one left, hosts passing
 * nothing on. drop_cable and drop_node (FABRIC_NONE: none) are treated as
 * absent; hosts that lose all links by that are not counted.
 */
bool fabric_connected(
	const struct fabric *f, uint32_t drop_cable, uint32_t drop_node);

/*
 * True if they are the same fabric: the same GUIDs, types, names, ports and
 * links, in any order. Otherwise false and a reason with the first difference.
 */
bool fabric_equal(
	const struct fabric *a, const struct fabric *b, struct reason *why);

/* How fabric_rebuild changes a fabric; any pointer may be NULL. */
struct fabric_edit {
	const bool *drop_node;	 /* [nnodes] */
	const bool *drop_cable;	 /* [ncables] */
	const uint8_t *nports;	 /* [nnodes]: new port count, 0 keeps */
	const uint8_t *add_port; /* [nnodes]: added to every port number */
	bool drop_orphans;	 /* leave out hosts that lose every link */
};

/* A copy of f with the edits applied; indexes can change, GUIDs do not. */
struct fabric *fabric_rebuild(
	const struct fabric *f, const struct fabric_edit *e);

/* The text of a rate ("4xHDR"), and back; false if it is not one. */
void fabric_rate_print(const struct fabric_rate *r, char out[16]);
bool fabric_rate_parse(const char *s, size_t n, struct fabric_rate *r);

#endif
