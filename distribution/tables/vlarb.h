/*
 * vlarb: VLArbitrationTables of ports: what they shall hold.
 *
 * A table is two lists of up to 64 entries (VL, weight). The low list is served
 * round robin, an entry until its weight is used up; the high list goes before
 * it until VLHighLimit is used up. Weights are shares: the layers of a QoS
 * level divide its weight, a level with a large weight gets several entries,
 * spread over the list, and all are scaled so that the smallest can send whole
 * packets. Every VL that works is in the low list at least once, VLs without
 * traffic last and with the least weight: packets that are left on a VL that
 * was in use must be able to leave.
 *
 * A table is written and read in parts of 32 entries, 64 bytes: 1 and 2 are the
 * low list, 3 and 4 the high one.
 *
 * IBA volume 1: arbitration 7.6.9, VLArbitrationTable 14.2.5.9.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_VLARB_H
#define HEDDLE_DISTRIBUTION_TABLES_VLARB_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/slvl.h"

enum {
	VLARB_PARTS = 4,
	VLARB_PART = 64, /* bytes: 32 entries */
	VLARB_ENTRIES = TOPO_VL_ENTRIES,
	VLARB_CLASSES = 4,
};

/* The class of a port; weights and limits may differ by class. */
enum vlarb_class {
	VLARB_HOST,
	VLARB_SWITCH, /* an external port */
	VLARB_PORT0,
	VLARB_ROUTER,
};

/* QoS levels as arbitration tables need them. */
struct vlarb_want {
	struct slvl levels;
	uint16_t high; /* QoS levels of high priority, a bit each */
	uint8_t weight[VLARB_CLASSES][SLVL_MAX];
	uint8_t limit[VLARB_CLASSES]; /* VLHighLimit */
	uint8_t max_vls;	      /* a code as in PortInfo; 0: any */
};

/* Both lists as one: parts 1 to 4. */
struct vlarb_table {
	uint8_t part[VLARB_PARTS][VLARB_PART];
};

enum vlarb_class vlarb_class(const struct topo *t, port_ix p);

/* Bytes that the port has of a part. */
unsigned vlarb_bytes(const struct topo *t, port_ix p, unsigned part);

/*
 * VLs that QoS levels and layers may use out of port p: those of its link, as
 * far as both lists of the port have an entry for each. 0: there is no link.
 */
unsigned vlarb_vls(const struct vlarb_want *w, const struct topo *t, port_ix p);

/* The table of port p; false: it shall have none. */
bool vlarb_make(const struct vlarb_want *w, const struct topo *t, port_ix p,
	struct vlarb_table *out);

#endif
