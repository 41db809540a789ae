#include "sm/mad/mad_ar.h"

#include <string.h>

#include "sm/base/be.h"

enum { MASK_BYTES = 32, ENTRY_BYTES = 4 };

/* Where what forwards is switched on. */
enum {
	AT_ENABLE = 3,
	ENABLE_GROUPS = 0x01,
	ENABLE_RECOVERY = 0x10,
	ENABLE_NOTICES = 0x20, /* of recovery, between switches */
	AT_ENABLE_HASH = 22,
	ENABLE_HASH = 0xe0,   /* by SL, weighted, by VL */
	ENABLE_REMOTE = 0x10, /* recovery by such notices */
	AT_PLFT_MODE = 3,
};

/* The place of a bit of ARInfo. */
struct flag {
	uint8_t byte, bit;
};

enum { NFLAGS = 14 };
static const struct flag flags[NFLAGS] = {
	{0, 0},
	{0, 1},
	{0, 2},
	{0, 3},
	{0, 4},
	{0, 5},
	{0, 6},
	{3, 0},
	{3, 1},
	{3, 2},
	{3, 3},
	{3, 4},
	{3, 5},
	{3, 6},
};

/* The members that flags[] places, in the same order. */
static void
list_flags(struct mad_ar_info *a, bool *out[NFLAGS])
{
	bool *const m[NFLAGS] = {
		&a->no_fallback,
		&a->is4_mode,
		&a->global_groups,
		&a->by_sl_cap,
		&a->by_sl_enabled,
		&a->by_transport_cap,
		&a->dyn_cap_calc,
		&a->enabled,
		&a->arn_sup,
		&a->frn_sup,
		&a->fr_sup,
		&a->fr_enabled,
		&a->rn_xmit,
		&a->trial_sup,
	};

	memcpy(out, m, sizeof(m));
}

int
mad_ar_info_decode(
	const uint8_t d[MAD_DATA], struct mad_ar_info *out, struct reason *why)
{
	uint32_t groups = be_get32(d + 4);
	bool *m[NFLAGS];

	memset(out, 0, sizeof(*out));
	list_flags(out, m);
	for (int i = 0; i < NFLAGS; i++)
		*m[i] = (d[flags[i].byte] >> flags[i].bit & 1) != 0;
	out->directions = d[1];
	out->group_copy = d[2] >> 4;
	out->sub_groups_active = d[2] & 15;
	out->string_width_cap = (uint8_t)(groups >> 28);
	out->group_table_cap = (uint8_t)(groups >> 24 & 15);
	out->group_top = (uint16_t)(groups >> 12 & 0xfff);
	out->group_cap = (uint16_t)(groups & 0xfff);
	out->sl_mask = be_get16(d + 8);
	out->sub_groups_sup = d[10];
	out->rn_version = d[11] >> 4;
	out->version = d[11] & 15;
	out->transport_disable = d[15];
	out->ageing_us = be_get32(d + 16);
	out->hash_caps = d[20];
	out->hash_enabled = d[22];
	if (out->group_cap > 0 && out->group_top >= out->group_cap)
		return reason_set(why,
			"ARInfo: GroupTop %u of a switch with %u groups",
			out->group_top, out->group_cap);
	return 0;
}

void
mad_ar_info_encode(const struct mad_ar_info *in, uint8_t d[MAD_DATA])
{
	struct mad_ar_info copy = *in;
	bool *m[NFLAGS];

	memset(d, 0, MAD_DATA);
	list_flags(&copy, m);
	for (int i = 0; i < NFLAGS; i++)
		d[flags[i].byte] |= (uint8_t)((unsigned)*m[i] << flags[i].bit);
	d[1] = in->directions;
	d[2] = (uint8_t)(in->group_copy << 4 | (in->sub_groups_active & 15));
	be_put32(d + 4, (uint32_t)(in->string_width_cap & 15) << 28 |
				(uint32_t)(in->group_table_cap & 15) << 24 |
				(in->group_top & 0xfffU) << 12 |
				(in->group_cap & 0xfffU));
	be_put16(d + 8, in->sl_mask);
	d[10] = in->sub_groups_sup;
	d[11] = (uint8_t)(in->rn_version << 4 | (in->version & 15));
	d[15] = in->transport_disable;
	be_put32(d + 16, in->ageing_us);
	d[20] = in->hash_caps;
	d[22] = in->hash_enabled;
}

unsigned
mad_ar_info_on(const uint8_t d[MAD_DATA])
{
	unsigned on = 0;

	if (d[AT_ENABLE] & ENABLE_GROUPS)
		on |= MAD_AR_ON_GROUPS;
	if (d[AT_ENABLE] & ENABLE_RECOVERY || d[AT_ENABLE_HASH] & ENABLE_REMOTE)
		on |= MAD_AR_ON_RECOVERY;
	if (d[AT_ENABLE_HASH] & ENABLE_HASH)
		on |= MAD_AR_ON_HASH;
	return on;
}

void
mad_ar_info_off(uint8_t d[MAD_DATA])
{
	d[AT_ENABLE] &=
		(uint8_t) ~(ENABLE_GROUPS | ENABLE_RECOVERY | ENABLE_NOTICES);
	d[AT_ENABLE_HASH] &= (uint8_t) ~(ENABLE_HASH | ENABLE_REMOTE);
}

unsigned
mad_ar_plft_on(const uint8_t d[MAD_DATA])
{
	return d[AT_PLFT_MODE] != 0 ? MAD_AR_ON_PLFT : 0;
}

void
mad_ar_plft_off(uint8_t d[MAD_DATA])
{
	d[AT_PLFT_MODE] = 0;
}

/* Port n is bit n % 8 of the mask's byte 31 - n / 8. */
void
mad_ar_group_decode(const uint8_t d[MAD_DATA], struct mad_ar_group *out)
{
	for (size_t s = 0; s < MAD_AR_SUB_GROUPS; s++) {
		for (size_t w = 0; w < 4; w++)
			out->port[s][w] =
				be_get64(d + s * MASK_BYTES + 24 - w * 8);
	}
}

void
mad_ar_group_encode(const struct mad_ar_group *in, uint8_t d[MAD_DATA])
{
	for (size_t s = 0; s < MAD_AR_SUB_GROUPS; s++) {
		for (size_t w = 0; w < 4; w++)
			be_put64(d + s * MASK_BYTES + 24 - w * 8,
				in->port[s][w]);
	}
}

void
mad_ar_lft_decode(
	const uint8_t d[MAD_DATA], struct mad_ar_entry out[MAD_AR_ENTRIES])
{
	for (int i = 0; i < MAD_AR_ENTRIES; i++, d += ENTRY_BYTES)
		out[i] = (struct mad_ar_entry){
			.state = d[0] >> 6,
			.table = d[0] & 15,
			.port = d[1],
			.group = be_get16(d + 2) & 0xfff,
		};
}

void
mad_ar_lft_encode(
	const struct mad_ar_entry in[MAD_AR_ENTRIES], uint8_t d[MAD_DATA])
{
	for (int i = 0; i < MAD_AR_ENTRIES; i++, d += ENTRY_BYTES) {
		d[0] = (uint8_t)(in[i].state << 6 | (in[i].table & 15));
		d[1] = in[i].port;
		be_put16(d + 2, in[i].group & 0xfff);
	}
}
