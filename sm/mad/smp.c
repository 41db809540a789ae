#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/mad.h"

/* Byte positions in an SMP (IBA 13.4.3, 14.2.1). */
enum {
	AT_BASE_VERSION = 0,
	AT_CLASS = 1,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_HOP_PTR = 6,
	AT_HOP_CNT = 7,
	AT_TID = 8,
	AT_ATTR = 16,
	AT_MOD = 20,
	AT_MKEY = 24,
	AT_DR_SLID = 32,
	AT_DR_DLID = 34,
	AT_DATA = 64,
	AT_PATH = 128,
	AT_RET_PATH = 192,
};

enum { D_BIT = 0x8000, RESPONSE_BIT = 0x80, MAX_HOPS = 63 };

/* What only directed-route SMPs carry. */
static int
decode_route(const uint8_t *buf, struct smp *out, struct reason *why)
{
	out->hop_ptr = buf[AT_HOP_PTR];
	out->hop_cnt = buf[AT_HOP_CNT];
	if (out->hop_cnt > MAX_HOPS)
		return reason_set(why, "SMP: hop count %u is above %d",
			out->hop_cnt, MAX_HOPS);
	if (out->hop_ptr > MAX_HOPS)
		return reason_set(why, "SMP: hop pointer %u is above %d",
			out->hop_ptr, MAX_HOPS);
	out->dr_slid = be_get16(buf + AT_DR_SLID);
	out->dr_dlid = be_get16(buf + AT_DR_DLID);
	memcpy(out->path, buf + AT_PATH, sizeof(out->path));
	memcpy(out->ret_path, buf + AT_RET_PATH, sizeof(out->ret_path));
	return 0;
}

int
smp_decode(const uint8_t *buf, size_t len, struct smp *out, struct reason *why)
{
	uint16_t status;

	if (len != MAD_SIZE)
		return reason_set(
			why, "SMP: %zu bytes instead of %d", len, MAD_SIZE);
	if (buf[AT_BASE_VERSION] != 1)
		return reason_set(why, "SMP: base version %u is not 1",
			buf[AT_BASE_VERSION]);
	if (buf[AT_CLASS] != MAD_SUBN_LID && buf[AT_CLASS] != MAD_SUBN_DR)
		return reason_set(
			why, "SMP: management class 0x%02x", buf[AT_CLASS]);
	if (buf[AT_CLASS_VERSION] != 1)
		return reason_set(why, "SMP: class version %u is not 1",
			buf[AT_CLASS_VERSION]);
	out->mgmt_class = buf[AT_CLASS];
	out->method = buf[AT_METHOD];
	status = be_get16(buf + AT_STATUS);
	out->status = (uint16_t)(status & ~D_BIT);
	out->tid = be_get64(buf + AT_TID);
	out->attr = be_get16(buf + AT_ATTR);
	out->mod = be_get32(buf + AT_MOD);
	out->mkey = be_get64(buf + AT_MKEY);
	memcpy(out->data, buf + AT_DATA, sizeof(out->data));
	if (out->mgmt_class == MAD_SUBN_DR) {
		out->response = (status & D_BIT) != 0;
		return decode_route(buf, out, why);
	}
	out->response = (out->method & RESPONSE_BIT) != 0;
	out->hop_ptr = out->hop_cnt = 0;
	out->dr_slid = out->dr_dlid = 0;
	memset(out->path, 0, sizeof(out->path));
	memset(out->ret_path, 0, sizeof(out->ret_path));
	return 0;
}

void
smp_encode(const struct smp *in, uint8_t buf[MAD_SIZE])
{
	uint16_t status = (uint16_t)(in->status & ~D_BIT);

	memset(buf, 0, MAD_SIZE);
	buf[AT_BASE_VERSION] = 1;
	buf[AT_CLASS] = in->mgmt_class;
	buf[AT_CLASS_VERSION] = 1;
	buf[AT_METHOD] = in->method;
	be_put64(buf + AT_TID, in->tid);
	be_put16(buf + AT_ATTR, in->attr);
	be_put32(buf + AT_MOD, in->mod);
	be_put64(buf + AT_MKEY, in->mkey);
	memcpy(buf + AT_DATA, in->data, sizeof(in->data));
	if (in->mgmt_class == MAD_SUBN_DR) {
		if (in->response)
			status |= D_BIT;
		buf[AT_HOP_PTR] = in->hop_ptr;
		buf[AT_HOP_CNT] = in->hop_cnt;
		be_put16(buf + AT_DR_SLID, in->dr_slid);
		be_put16(buf + AT_DR_DLID, in->dr_dlid);
		memcpy(buf + AT_PATH, in->path, sizeof(in->path));
		memcpy(buf + AT_RET_PATH, in->ret_path, sizeof(in->ret_path));
	}
	be_put16(buf + AT_STATUS, status);
}
