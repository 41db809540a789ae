#include "distribution/tables/adaptive_info.h"

#include "sm/mad/mad_ar.h"

enum { ALL_SLS = 0xffff };

void
adaptive_info_make(const uint8_t is[MAD_DATA],
	const struct adaptive_settings *s, const struct adaptive_info_want *w,
	uint8_t out[MAD_DATA])
{
	struct mad_ar_info a;

	(void)mad_ar_info_decode(is, &a, NULL);
	a.enabled = w->enabled;
	a.sub_groups_active = w->sub_groups;
	a.group_top = w->top;
	a.by_sl_enabled = a.by_sl_cap && s->sls != ALL_SLS;
	a.sl_mask = a.by_sl_enabled ? s->sls : ALL_SLS;
	if (s->ageing_us != 0)
		a.ageing_us = s->ageing_us;
	a.fr_enabled = a.rn_xmit = false;
	a.hash_enabled = 0;
	mad_ar_info_encode(&a, out);
}

uint32_t
adaptive_info_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want)
{
	struct mad_ar_info a, b;

	(void)t;
	(void)p;
	(void)block;
	(void)mad_ar_info_decode(is, &a, NULL);
	(void)mad_ar_info_decode(want, &b, NULL);
	return a.enabled != b.enabled ||
	       a.sub_groups_active != b.sub_groups_active ||
	       a.group_top != b.group_top || a.ageing_us != b.ageing_us ||
	       a.by_sl_enabled != b.by_sl_enabled ||
	       (b.by_sl_enabled && a.sl_mask != b.sl_mask);
}
