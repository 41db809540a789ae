#include "sm/mad/mad_sa.h"

#include <string.h>

#include "sm/base/be.h"

/* Byte positions in the header (IBA 13.4.3, 13.6.2.1, 15.2.1.1). */
enum {
	AT_CLASS = 1,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID = 8,
	AT_ATTR = 16,
	AT_MOD = 20,
	AT_RMPP_VERSION = 24,
	AT_RMPP_TYPE = 25,
	AT_RMPP_FLAGS = 26,
	AT_RMPP_STATUS = 27,
	AT_RMPP_SEGMENT = 28,
	AT_RMPP_PAYLOAD = 32,
	AT_SM_KEY = 36,
	AT_OFFSET = 44,
	AT_MASK = 48,
};
enum {
	RMPP_VERSION = 1,
	RMPP_ACTIVE = 1,
	RMPP_FIRST = 2,
	RMPP_LAST = 4,
	RMPP_NO_TIME = 0x1f << 3,
};

int
mad_sa_decode(
	const uint8_t *buf, size_t len, struct mad_sa *out, struct reason *why)
{
	if (len < MAD_SA_HEADER)
		return reason_set(why, "SA MAD of %zu bytes", len);
	if (buf[AT_CLASS] != MAD_SA)
		return reason_set(
			why, "management class 0x%02x", buf[AT_CLASS]);
	*out = (struct mad_sa){
		.base_version = buf[0],
		.class_version = buf[AT_CLASS_VERSION],
		.method = buf[AT_METHOD],
		.status = be_get16(buf + AT_STATUS),
		.tid = be_get64(buf + AT_TID),
		.attr = be_get16(buf + AT_ATTR),
		.mod = be_get32(buf + AT_MOD),
		.rmpp = (buf[AT_RMPP_FLAGS] & RMPP_ACTIVE) != 0,
		.rmpp_type = buf[AT_RMPP_TYPE],
		.rmpp_status = buf[AT_RMPP_STATUS],
		.rmpp_version = buf[AT_RMPP_VERSION],
		.rmpp_first = (buf[AT_RMPP_FLAGS] & RMPP_FIRST) != 0,
		.rmpp_last = (buf[AT_RMPP_FLAGS] & RMPP_LAST) != 0,
		.rmpp_segment = be_get32(buf + AT_RMPP_SEGMENT),
		.rmpp_payload = be_get32(buf + AT_RMPP_PAYLOAD),
		.sm_key = be_get64(buf + AT_SM_KEY),
		.offset = be_get16(buf + AT_OFFSET),
		.mask = be_get64(buf + AT_MASK),
	};
	return 0;
}

void
mad_sa_encode(const struct mad_sa *in, uint8_t buf[MAD_SA_HEADER])
{
	memset(buf, 0, MAD_SA_HEADER);
	buf[0] = in->base_version;
	buf[AT_CLASS] = MAD_SA;
	buf[AT_CLASS_VERSION] = in->class_version;
	buf[AT_METHOD] = in->method;
	be_put16(buf + AT_STATUS, in->status);
	be_put64(buf + AT_TID, in->tid);
	be_put16(buf + AT_ATTR, in->attr);
	be_put32(buf + AT_MOD, in->mod);
	buf[AT_RMPP_VERSION] = RMPP_VERSION;
	if (in->rmpp) {
		buf[AT_RMPP_TYPE] = in->rmpp_type;
		buf[AT_RMPP_FLAGS] = RMPP_ACTIVE | RMPP_NO_TIME;
		buf[AT_RMPP_STATUS] = in->rmpp_status;
	}
	be_put64(buf + AT_SM_KEY, in->sm_key);
	be_put16(buf + AT_OFFSET, in->offset);
	be_put64(buf + AT_MASK, in->mask);
}

struct mad_gid
mad_sa_gid_decode(const uint8_t d[16])
{
	return (struct mad_gid){be_get64(d), be_get64(d + 8)};
}

void
mad_sa_gid_encode(const struct mad_gid *g, uint8_t d[16])
{
	be_put64(d, g->prefix);
	be_put64(d + 8, g->guid);
}

/* A selector in the upper two bits, a value in the lower six. */
static void
split_selector(uint8_t byte, uint8_t *sel, uint8_t *value)
{
	*sel = byte >> 6;
	*value = byte & 0x3f;
}

static uint8_t
join_selector(uint8_t sel, uint8_t value)
{
	return (uint8_t)((sel & 3U) << 6 | (value & 0x3fU));
}

/* Raw traffic, flow label and hop limit share four bytes. */
static void
flow_decode(const uint8_t *d, struct mad_sa_path *p)
{
	uint32_t w = be_get32(d);

	p->raw = w >> 31 != 0;
	p->flow_label = w >> 8 & 0xfffff;
	p->hop_limit = (uint8_t)w;
}

void
mad_sa_path_decode(const uint8_t d[MAD_SA_PATH], struct mad_sa_path *out)
{
	memset(out, 0, sizeof(*out));
	out->service = be_get64(d);
	out->dgid = mad_sa_gid_decode(d + 8);
	out->sgid = mad_sa_gid_decode(d + 24);
	out->dlid = be_get16(d + 40);
	out->slid = be_get16(d + 42);
	flow_decode(d + 44, out);
	out->tclass = d[48];
	out->reversible = (d[49] & 0x80) != 0;
	out->npaths = d[49] & 0x7f;
	out->pkey = be_get16(d + 50);
	out->qos_class = be_get16(d + 52) >> 4;
	out->sl = d[53] & 0xf;
	split_selector(d[54], &out->mtu_sel, &out->mtu);
	split_selector(d[55], &out->rate_sel, &out->rate);
	split_selector(d[56], &out->life_sel, &out->life);
	out->preference = d[57];
}

void
mad_sa_path_encode(const struct mad_sa_path *in, uint8_t d[MAD_SA_PATH])
{
	memset(d, 0, MAD_SA_PATH);
	be_put64(d, in->service);
	mad_sa_gid_encode(&in->dgid, d + 8);
	mad_sa_gid_encode(&in->sgid, d + 24);
	be_put16(d + 40, in->dlid);
	be_put16(d + 42, in->slid);
	be_put32(d + 44, (uint32_t)in->raw << 31 |
				 (in->flow_label & 0xfffff) << 8 |
				 in->hop_limit);
	d[48] = in->tclass;
	d[49] = (uint8_t)(in->reversible << 7 | (in->npaths & 0x7f));
	be_put16(d + 50, in->pkey);
	be_put16(d + 52,
		(uint16_t)((in->qos_class & 0xfffU) << 4 | (in->sl & 0xfU)));
	d[54] = join_selector(in->mtu_sel, in->mtu);
	d[55] = join_selector(in->rate_sel, in->rate);
	d[56] = join_selector(in->life_sel, in->life);
	d[57] = in->preference;
}

/* Component of a MultiPathRecord : the same one of a PathRecord. */
static const struct {
	uint32_t multi, path;
} multi_to_path[] = {
	{1 << 0, MAD_SA_PATH_RAW},
	{1 << 2, MAD_SA_PATH_FLOW},
	{1 << 3, MAD_SA_PATH_HOPS},
	{1 << 4, MAD_SA_PATH_TCLASS},
	{1 << 5, MAD_SA_PATH_REVERSIBLE},
	{1 << 6, MAD_SA_PATH_NPATHS},
	{1 << 7, MAD_SA_PATH_PKEY},
	{1 << 8, MAD_SA_PATH_QOS},
	{1 << 9, MAD_SA_PATH_SL},
	{1 << 10, MAD_SA_PATH_MTU_SEL},
	{1 << 11, MAD_SA_PATH_MTU},
	{1 << 12, MAD_SA_PATH_RATE_SEL},
	{1 << 13, MAD_SA_PATH_RATE},
	{1 << 14, MAD_SA_PATH_LIFE_SEL},
	{1 << 15, MAD_SA_PATH_LIFE},
	{1 << 16, MAD_SA_PATH_SERVICE & 1},
	{1 << 21, MAD_SA_PATH_SERVICE & 2},
};

void
mad_sa_multi_decode(
	const uint8_t d[MAD_SA_MULTI], uint64_t mask, struct mad_sa_multi *out)
{
	struct mad_sa_path *p = &out->path;

	memset(out, 0, sizeof(*out));
	flow_decode(d, p);
	p->tclass = d[4];
	p->reversible = (d[5] & 0x80) != 0;
	p->npaths = d[5] & 0x7f;
	p->pkey = be_get16(d + 6);
	p->qos_class = be_get16(d + 8) >> 4;
	p->sl = d[9] & 0xf;
	split_selector(d[10], &p->mtu_sel, &p->mtu);
	split_selector(d[11], &p->rate_sel, &p->rate);
	split_selector(d[12], &p->life_sel, &p->life);
	out->disjoint = (mask & MAD_SA_MULTI_DISJOINT) != 0 && d[14] != 0;
	out->nsgid = d[15];
	out->ndgid = d[16];
	p->service =
		(uint64_t)d[13] << 56 | (be_get64(d + 16) & 0xffffffffffffffU);
	for (size_t i = 0; i < sizeof(multi_to_path) / sizeof(*multi_to_path);
		i++)
		if ((mask & multi_to_path[i].multi) != 0)
			out->mask |= multi_to_path[i].path;
}

void
mad_sa_inform_decode(const uint8_t d[MAD_SA_INFORM], struct mad_sa_inform *out)
{
	*out = (struct mad_sa_inform){
		.gid = mad_sa_gid_decode(d),
		.lid_first = be_get16(d + 16),
		.lid_last = be_get16(d + 18),
		.generic = d[22] != 0,
		.subscribe = d[23] != 0,
		.type = be_get16(d + 24),
		.trap = be_get16(d + 26),
		.qpn = be_get32(d + 28) >> 8,
		.resp_time = d[31] & 0x1f,
		.producer = be_get32(d + 32) & 0xffffff,
	};
}

void
mad_sa_inform_encode(const struct mad_sa_inform *in, uint8_t d[MAD_SA_INFORM])
{
	memset(d, 0, MAD_SA_INFORM);
	mad_sa_gid_encode(&in->gid, d);
	be_put16(d + 16, in->lid_first);
	be_put16(d + 18, in->lid_last);
	d[22] = in->generic;
	d[23] = in->subscribe;
	be_put16(d + 24, in->type);
	be_put16(d + 26, in->trap);
	be_put32(d + 28, in->qpn << 8 | (in->resp_time & 0x1fU));
	be_put32(d + 32, in->producer & 0xffffff);
}

void
mad_sa_service_decode(
	const uint8_t d[MAD_SA_SERVICE], struct mad_sa_service *out)
{
	out->id = be_get64(d);
	out->gid = mad_sa_gid_decode(d + 8);
	out->pkey = be_get16(d + 24);
	out->lease = be_get32(d + 28);
	memcpy(out->key, d + 32, sizeof(out->key));
	memcpy(out->name, d + 48, sizeof(out->name));
}

void
mad_sa_member_decode(
	const uint8_t d[MAD_SA_MEMBER_REC], struct mad_sa_member *out)
{
	uint32_t w = be_get32(d + 44);

	*out = (struct mad_sa_member){
		.mgid = mad_sa_gid_decode(d),
		.gid = mad_sa_gid_decode(d + 16),
		.qkey = be_get32(d + 32),
		.mlid = be_get16(d + 36),
		.tclass = d[39],
		.pkey = be_get16(d + 40),
		.sl = (uint8_t)(w >> 28),
		.flow_label = w >> 8 & 0xfffff,
		.hop_limit = (uint8_t)w,
		.scope = d[48] >> 4,
		.state = d[48] & 0xf,
		.proxy = (d[49] & 0x80) != 0,
	};
	split_selector(d[38], &out->mtu_sel, &out->mtu);
	split_selector(d[42], &out->rate_sel, &out->rate);
	split_selector(d[43], &out->life_sel, &out->life);
}

void
mad_sa_member_encode(
	const struct mad_sa_member *in, uint8_t d[MAD_SA_MEMBER_REC])
{
	memset(d, 0, MAD_SA_MEMBER_REC);
	mad_sa_gid_encode(&in->mgid, d);
	mad_sa_gid_encode(&in->gid, d + 16);
	be_put32(d + 32, in->qkey);
	be_put16(d + 36, in->mlid);
	d[38] = join_selector(in->mtu_sel, in->mtu);
	d[39] = in->tclass;
	be_put16(d + 40, in->pkey);
	d[42] = join_selector(in->rate_sel, in->rate);
	d[43] = join_selector(in->life_sel, in->life);
	be_put32(d + 44, (uint32_t)in->sl << 28 |
				 (in->flow_label & 0xfffff) << 8 |
				 in->hop_limit);
	d[48] = (uint8_t)(in->scope << 4 | (in->state & 0xf));
	d[49] = (uint8_t)(in->proxy << 7);
}

void
mad_sa_trace_encode(const struct mad_sa_trace *in, uint8_t d[MAD_SA_TRACE])
{
	memset(d, 0, MAD_SA_TRACE);
	be_put64(d, in->prefix);
	be_put16(d + 8, in->generation);
	d[11] = in->node_type;
	be_put64(d + 12, in->node);
	be_put64(d + 20, in->chassis);
	be_put64(d + 28, in->entry_id);
	be_put64(d + 36, in->exit_id);
	d[44] = in->entry;
	d[45] = in->exit;
}

void
mad_sa_port_info_encode(
	const struct mad_sa_port_info *in, uint8_t d[MAD_SA_PORT_INFO])
{
	memset(d, 0, MAD_SA_PORT_INFO);
	d[0] = 1;
	d[1] = MAD_SA_VERSION;
	be_put16(d + 2, in->cap);
	be_put32(d + 4, in->cap2 << 5 | (in->resp_time & 0x1fU));
	be_put32(d + 32, in->qp & 0xffffff);
	be_put32(d + 36, in->qkey);
}
