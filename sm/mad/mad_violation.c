#include "sm/mad/mad_violation.h"

#include <string.h>

#include "sm/base/be.h"

enum { DIRECTED = 0x80, TRUNCATED = 0x40, HOPS = 0x3f, QP = 0xffffff };

static void
get_gid(const uint8_t *d, uint64_t gid[2])
{
	gid[0] = be_get64(d);
	gid[1] = be_get64(d + 8);
}

static void
put_gid(uint8_t *d, const uint64_t gid[2])
{
	be_put64(d, gid[0]);
	be_put64(d + 8, gid[1]);
}

static void
get_m_key(const uint8_t *d, struct mad_violation *v)
{
	v->dr_slid = be_get16(d + 14);
	v->method = d[16];
	v->attr = be_get16(d + 18);
	v->mod = be_get32(d + 20);
	v->mkey = be_get64(d + 24);
	v->directed = (d[33] & DIRECTED) != 0;
	v->truncated = (d[33] & TRUNCATED) != 0;
	v->hops = d[33] & HOPS;
	memcpy(v->ret_path, d + 34, MAD_VIOLATION_HOPS);
}

static void
put_m_key(uint8_t *d, const struct mad_violation *v)
{
	be_put16(d + 14, v->dr_slid);
	d[16] = v->method;
	be_put16(d + 18, v->attr);
	be_put32(d + 20, v->mod);
	be_put64(d + 24, v->mkey);
	d[33] = (uint8_t)((v->directed ? DIRECTED : 0) |
			  (v->truncated ? TRUNCATED : 0) | (v->hops & HOPS));
	memcpy(d + 34, v->ret_path, MAD_VIOLATION_HOPS);
}

/* The byte of the word of SL and QP1; QP2 and the GIDs follow it. */
static size_t
qp_at(uint16_t trap)
{
	return trap == MAD_VIOLATION_SWITCH_P_KEY ? 18 : 20;
}

void
mad_violation_decode(
	const uint8_t d[MAD_DATA], uint16_t trap, struct mad_violation *out)
{
	size_t at = qp_at(trap);

	memset(out, 0, sizeof(*out));
	out->lid = be_get16(d + 12);
	if (trap == MAD_VIOLATION_M_KEY) {
		get_m_key(d, out);
		return;
	}
	out->lid2 = be_get16(d + 14);
	out->sl = d[at] >> 4;
	out->qp1 = be_get32(d + at) & QP;
	out->qp2 = be_get32(d + at + 4) & QP;
	get_gid(d + at + 8, out->gid1);
	get_gid(d + at + 24, out->gid2);
	if (trap == MAD_VIOLATION_SWITCH_P_KEY) {
		out->valid = be_get16(d + 10);
		out->key = be_get16(d + 16);
		out->switch_lid = be_get16(d + 58);
		out->port = d[60];
	} else {
		out->key = be_get32(d + 16);
	}
}

void
mad_violation_encode(
	const struct mad_violation *in, uint16_t trap, uint8_t d[MAD_DATA])
{
	size_t at = qp_at(trap);

	be_put16(d + 12, in->lid);
	if (trap == MAD_VIOLATION_M_KEY) {
		put_m_key(d, in);
		return;
	}
	be_put16(d + 14, in->lid2);
	be_put32(d + at, (uint32_t)in->sl << 28 | (in->qp1 & QP));
	be_put32(d + at + 4, in->qp2 & QP);
	put_gid(d + at + 8, in->gid1);
	put_gid(d + at + 24, in->gid2);
	if (trap == MAD_VIOLATION_SWITCH_P_KEY) {
		be_put16(d + 10, in->valid);
		be_put16(d + 16, (uint16_t)in->key);
		be_put16(d + 58, in->switch_lid);
		d[60] = in->port;
	} else {
		be_put32(d + 16, in->key);
	}
}
