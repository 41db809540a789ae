#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/fields.h"
#include "sm/mad/mad.h"

#define ROW(m, at, bits) FIELDS_ROW(struct mad_notice, m, at, bits)
static const struct fields_row notice[] = {
	ROW(generic, 0, 1),
	ROW(type, 1, 7),
	ROW(producer, 8, 24),
	ROW(trap, 32, 16),
	ROW(issuer_lid, 48, 16),
	ROW(toggle, 64, 1),
	ROW(count, 65, 15),
};
#undef ROW

enum { ROWS = sizeof(notice) / sizeof(notice[0]) };

/*
 * The byte at which the details of a generic trap (byte 10 on) name the LID
 * that the trap is about; 0: they name none, or none that Heddle acts on.
 * libibmad knows 128 and 144 only, hence by shifts (IBA 14.2.5.1).
 */
static size_t
lid_at(const struct mad_notice *n)
{
	if (!n->generic)
		return 0;
	switch (n->trap) {
	case 128:
		return 10;
	case 129:
	case 130:
	case 131:
	case 144:
	case 145:
	case 256:
		return 12;
	default:
		return 0;
	}
}

/* Traps 129 to 131 name a port as well. */
enum { AT_PORT = 14 };

static bool
has_port(const struct mad_notice *n)
{
	return n->generic && n->trap >= 129 && n->trap <= 131;
}

/* Trap 144: the new CapabilityMask, and what else changed. */
enum { AT_CAPMASK = 16, AT_CHANGE_FLAGS = 20 };

void
mad_notice_decode(const uint8_t d[MAD_DATA], struct mad_notice *out)
{
	size_t at;

	memset(out, 0, sizeof(*out));
	fields_decode(notice, ROWS, d, out);
	at = lid_at(out);
	if (at != 0)
		out->data_lid = be_get16(d + at);
	if (has_port(out))
		out->data_port = d[AT_PORT];
	if (out->generic && out->trap == MAD_TRAP_LOCAL_CHANGES) {
		out->capmask = be_get32(d + AT_CAPMASK);
		out->change_flags = be_get16(d + AT_CHANGE_FLAGS);
	}
}

void
mad_notice_encode(const struct mad_notice *in, uint8_t d[MAD_DATA])
{
	size_t at = lid_at(in);

	fields_encode(notice, ROWS, in, d);
	if (at != 0)
		be_put16(d + at, in->data_lid);
	if (has_port(in))
		d[AT_PORT] = in->data_port;
	if (in->generic && in->trap == MAD_TRAP_LOCAL_CHANGES) {
		be_put32(d + AT_CAPMASK, in->capmask);
		be_put16(d + AT_CHANGE_FLAGS, in->change_flags);
	}
}
