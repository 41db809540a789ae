#include "tests/sim/model/sim_rmpp.h"

#include "sm/base/be.h"
#include "sm/mad/mad.h"

/* Byte positions in the RMPP header. */
enum {
	AT_CLASS = 1,
	AT_TYPE = 25,
	AT_FLAGS = 26,
	AT_SEGMENT = 28,
	AT_LENGTH = 32,
};
enum {
	RMPP_DATA = 1,
	RMPP_FIRST = 2,
	RMPP_LAST = 4,
	RMPP_ROOM = 220, /* of a segment, class header included */
};

size_t
sim_rmpp_data(uint8_t mgmt_class)
{
	switch (mgmt_class) {
	case 0x03: /* subnet administration */
		return 56;
	case 0x06: /* device management */
	case 0x10: /* device administration */
	case 0x12: /* boot information */
		return 64;
	default:
		return mgmt_class >= 0x30 && mgmt_class <= 0x4f ? 40 : 0;
	}
}

void
sim_rmpp_begin(uint8_t *mad, size_t len)
{
	size_t hdr = sim_rmpp_data(mad[AT_CLASS]);
	size_t data = len > hdr ? len - hdr : 0;
	size_t room = MAD_SIZE - hdr, overhead = RMPP_ROOM - room;
	size_t segments = data ? (data + room - 1) / room : 1;

	mad[AT_TYPE] = RMPP_DATA;
	mad[AT_FLAGS] |= RMPP_FIRST;
	if (segments == 1)
		mad[AT_FLAGS] |= RMPP_LAST;
	be_put32(mad + AT_SEGMENT, 1);
	be_put32(mad + AT_LENGTH, (uint32_t)(segments * overhead + data));
}

size_t
sim_rmpp_length(const uint8_t *mad)
{
	size_t hdr = sim_rmpp_data(mad[AT_CLASS]), room = MAD_SIZE - hdr;
	size_t payload = be_get32(mad + AT_LENGTH);
	size_t segments = (payload + RMPP_ROOM - 1) / RMPP_ROOM;
	size_t overhead = (RMPP_ROOM - room) * segments;

	return payload >= overhead ? hdr + payload - overhead : 0;
}
