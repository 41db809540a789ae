/*
 * port_values: what fields of PortInfo, LIDs and P_Keys hold, and names of
 * these, for all that read them: the wire codec, and the topology, which keeps
 * the values as read.
 * Apart from mad.h, since most readers of the topology have no business with
 * the wire.
 *
 * IBA volume 1: PortInfo 14.2.5.6.
 */
#ifndef HEDDLE_SM_MAD_PORT_VALUES_H
#define HEDDLE_SM_MAD_PORT_VALUES_H

#include <stdint.h>

/* Ranges of LIDs (IBA 4.1.3). */
enum {
	LID_UNICAST_MAX = 0xbfff,
	LID_MULTICAST_MIN = 0xc000,
	LID_MULTICAST_MAX =
		0xfffd, /* usable as an MLID: 0xffff is permissive */
	LID_MULTICAST_COUNT = LID_MULTICAST_MAX - LID_MULTICAST_MIN + 1,
	LMC_MAX = 7,
};

/* PortState. */
enum port_state {
	PORT_NO_CHANGE = 0, /* in a Set; a base switch port 0 may say it too */
	PORT_DOWN = 1,
	PORT_INIT = 2,	/* the link is up and carries SMPs only */
	PORT_ARMED = 3, /* receives data, and sends none of its own accord */
	PORT_ACTIVE = 4,
	PORT_ACTIVE_DEFER = 5, /* Active while its link recovers from an error;
				  becomes Active or Down by itself */
};

/* PortPhysicalState, and LinkDownDefaultState. */
enum port_phys {
	PORT_PHYS_NO_CHANGE = 0, /* in a Set */
	PORT_PHYS_SLEEP = 1,
	PORT_PHYS_POLLING = 2,
	PORT_PHYS_DISABLED = 3,
	PORT_PHYS_LINK_UP = 5,
};

/* PortInfo.CapabilityMask bits. */
enum {
	MAD_CAP_IS_SM = 0x2,
	MAD_CAP_SL_MAPPING = 0x40,
	MAD_CAP_SM_DISABLED = 0x400,
	MAD_CAP_EXT_SPEEDS = 0x4000,
	MAD_CAP_CAPMASK2 = 0x8000,
	MAD_CAP_CLIENT_REREG = 0x2000000,
	MAD_CAP_MFT_TOP = 0x40000000, /* port 0: MulticastFDBTop */
};

/* PortInfo.CapabilityMask2 bits; of a switch those of port 0 count. */
enum {
	MAD_CAP2_2X = 0x10,
	MAD_CAP2_HDR = 0x20,
	MAD_CAP2_NDR = 0x400,
	MAD_CAP2_EXT_SPEEDS2 = 0x800,
	MAD_CAP2_XDR = 0x1000,
};

/* LinkWidth*: bits; LinkWidthActive has one. */
enum port_width {
	PORT_WIDTH_1X = 1,
	PORT_WIDTH_4X = 2,
	PORT_WIDTH_8X = 4,
	PORT_WIDTH_12X = 8,
	PORT_WIDTH_2X = 16,
};

/* LinkSpeed*: bits; LinkSpeedActive has one. */
enum port_speed { PORT_SDR = 1, PORT_DDR = 2, PORT_QDR = 4 };

/*
 * Extended link speeds: bits. XDR stands in a field of its own on the wire
 * (mad_extended_speed), and beside the others everywhere else.
 */
enum port_speed_ext {
	PORT_FDR = 1,
	PORT_EDR = 2,
	PORT_HDR = 4,
	PORT_NDR = 8,
	PORT_XDR = 16,
};

/* Bits of a P_Key (IBA 10.9.1). */
enum { PKEY_FULL = 0x8000 /* member */, PKEY_NUMBER = 0x7fff };

/* "4x"; NULL unless width is one of enum port_width. */
const char *port_width_name(uint8_t width);

/* "HDR": of the extended speed where there is one. NULL: no known speed. */
const char *port_speed_name(uint8_t speed, uint8_t speed_ext);

#endif
