#include "distribution/tables/switch_settings.h"

#include "sm/mad/mad.h"

uint32_t
switch_settings_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want)
{
	struct mad_switch_info a, b;

	(void)t;
	(void)p;
	(void)block;
	(void)mad_switch_info_decode(is, &a, NULL);
	(void)mad_switch_info_decode(want, &b, NULL);
	return (a.lft_top < b.lft_top ? SWITCH_LACKS_TOP : 0U) |
	       (a.life != b.life ? SWITCH_LACKS_LIFE : 0U) |
	       (a.mft_top < b.mft_top ? SWITCH_LACKS_MCAST_TOP : 0U);
}
