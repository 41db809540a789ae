#include "tests/e2e/setfold.h"

#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum {
	ALL_OUT = 1 << 16, /* SL2VL: every output port */
	ALL_IN = 1 << 17,
	LFT_BLOCK = 64,
	MFT_BLOCK = 32, /* MLIDs */
	HIGH_BIT = 31,
};

static const int keeps[] = {
	IB_PORT_LINK_WIDTH_ENABLED_F,
	IB_PORT_LINK_SPEED_ENABLED_F,
	IB_PORT_LINK_SPEED_EXT_ENABLED_F,
	IB_PORT_LINK_DOWN_DEF_F,
	IB_PORT_NEIGHBOR_MTU_F,
	IB_PORT_OPER_VLS_F,
};
enum { NKEEPS = sizeof(keeps) / sizeof(keeps[0]) };

bool
setfold_keeps(int field)
{
	for (size_t i = 0; i < NKEEPS; i++)
		if (keeps[i] == field)
			return true;
	return false;
}

static uint64_t
unit_key(uint32_t node, uint16_t attr, uint32_t unit)
{
	return (uint64_t)node << 48 | (uint64_t)attr << 32 | unit;
}

const struct setfold_unit *
setfold_find(
	const struct setfold *f, uint32_t node, uint16_t attr, uint32_t unit)
{
	uint32_t i;

	return map_get(&f->by_key, unit_key(node, attr, unit), &i) ? &f->unit[i]
								   : NULL;
}

static struct setfold_unit *
unit_of(struct setfold *f, const struct setlog_set *s, uint32_t unit)
{
	uint64_t key = unit_key(s->node, s->attr, unit);
	struct setfold_unit *u;
	uint32_t i;

	if (map_get(&f->by_key, key, &i))
		return &f->unit[i];
	f->unit = mem_grow(f->unit, f->n, &f->cap, sizeof(*f->unit));
	map_put(&f->by_key, key, (uint32_t)f->n);
	u = &f->unit[f->n++];
	*u = (struct setfold_unit){.node = s->node,
		.attr = s->attr,
		.unit = unit,
		.has_held = s->has_before};
	memcpy(u->held, s->before, SETLOG_DATA);
	memcpy(u->before, s->before, SETLOG_DATA);
	memcpy(u->value, s->before, SETLOG_DATA);
	return u;
}

/* Append a number to a sequence, unless it is the last one there. */
static void
add_step(char way[SETFOLD_WAY], uint32_t step)
{
	size_t n = strlen(way);
	char text[8];
	const char *last = strrchr(way, ' ');

	(void)snprintf(text, sizeof(text), "%u", step & 15);
	if (n && strcmp(last ? last + 1 : way, text) == 0)
		return;
	(void)snprintf(way + n, SETFOLD_WAY - n, "%s%s", n ? " " : "", text);
}

static void
take_port_info(struct setfold_unit *u, const struct setlog_set *s)
{
	uint8_t d[SETLOG_DATA];

	memcpy(d, s->data, sizeof(d));
	add_step(u->state, mad_get_field(d, 0, IB_PORT_STATE_F));
	add_step(u->phys, mad_get_field(d, 0, IB_PORT_PHYS_STATE_F));
	for (size_t i = 0; i < NKEEPS; i++) {
		enum MAD_FIELDS id = (enum MAD_FIELDS)keeps[i];

		if (mad_get_field(d, 0, id) == 0)
			mad_set_field(d, 0, id, mad_get_field(u->value, 0, id));
	}
	memcpy(u->value, d, sizeof(d));
}

static void
take_unit(struct setfold *f, const struct setlog_set *s, uint32_t unit)
{
	struct setfold_unit *u = unit_of(f, s, unit);

	u->mkey = s->mkey;
	u->high_bit = s->mod >> HIGH_BIT;
	if (s->status != 0) {
		u->refusal = s->status;
		return;
	}
	memcpy(u->before, s->before, SETLOG_DATA);
	if (s->attr == MAD_PORT_INFO)
		take_port_info(u, s);
	else
		memcpy(u->value, s->data, SETLOG_DATA);
	for (size_t i = 0; i < SETLOG_DATA; i++)
		u->ever[i] |= s->data[i];
	u->sets++;
}

/*
 * A Set of many rows. What a row held is not known by itself: the device shows
 * one of them.
 */
static void
take_rows(struct setfold *f, const struct setlog_set *s)
{
	unsigned n = f->log->node[s->node].nports;
	unsigned in = s->mod >> 8 & 0xff, out = s->mod & 0xff;

	for (unsigned i = 0; i <= n; i++)
		for (unsigned o = 0; o <= n; o++)
			if ((s->mod & ALL_IN || i == in) &&
				(s->mod & ALL_OUT || o == out))
				take_unit(f, s, i << 8 | o);
}

static void
take_lft(struct setfold_tables *t, const struct setlog_set *s)
{
	uint32_t lid = s->mod * LFT_BLOCK;

	if (!t->lft) {
		t->lft = mem_zalloc(SETFOLD_LIDS, 1);
		t->known = mem_zalloc(SETFOLD_LIDS, sizeof(bool));
	}
	t->lft_sets++;
	for (uint32_t i = 0; i < LFT_BLOCK && lid + i < SETFOLD_LIDS; i++) {
		t->known[lid + i] = true;
		t->lft[lid + i] = s->data[i];
	}
}

static void
take_mft(struct setfold_tables *t, const struct setlog_set *s)
{
	uint32_t row = (s->mod & 0x1ff) * MFT_BLOCK;

	t->mft_sets++;
	for (uint32_t i = 0; i < MFT_BLOCK; i++) {
		uint32_t mlid = SETFOLD_LIDS + row + i;

		if (be_get16(s->data + (size_t)2 * i) != 0 &&
			mlid > t->top_mlid)
			t->top_mlid = (uint16_t)mlid;
	}
}

/* The port that a Set is about. */
static unsigned
port_of(const struct setlog *l, const struct setlog_set *s)
{
	unsigned port = s->mod & 0xff;

	return port || l->node[s->node].is_switch ? port : s->arrived;
}

static void
take_set(struct setfold *f, const struct setlog_set *s)
{
	bool sw = f->log->node[s->node].is_switch;

	switch (s->attr) {
	case MAD_PORT_INFO:
		take_unit(f, s, port_of(f->log, s));
		return;
	case MAD_SL2VL:
		if (sw)
			take_rows(f, s);
		else
			take_unit(f, s, port_of(f->log, s));
		return;
	case MAD_VLARB:
		take_unit(f, s, port_of(f->log, s) | (s->mod & 0xffff0000));
		return;
	case MAD_PKEY_TABLE:
		take_unit(f, s, sw ? s->mod : s->arrived << 16 | s->mod);
		return;
	case MAD_LFT:
	case MAD_MFT:
		if (s->status != 0)
			take_unit(f, s, s->mod);
		else if (s->attr == MAD_LFT)
			take_lft(&f->tables[s->node], s);
		else
			take_mft(&f->tables[s->node], s);
		return;
	default:
		take_unit(f, s, s->mod);
	}
}

struct setfold *
setfold_new(const struct setlog *l)
{
	struct setfold *f = mem_zalloc(1, sizeof(*f));

	f->log = l;
	f->tables = mem_zalloc(l->nnodes, sizeof(*f->tables));
	for (size_t i = 0; i < l->nsets; i++)
		take_set(f, &l->set[i]);
	return f;
}

void
setfold_free(struct setfold *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->log->nnodes; i++) {
		free(f->tables[i].lft);
		free(f->tables[i].known);
	}
	free(f->tables);
	free(f->unit);
	map_free(&f->by_key);
	free(f);
}
