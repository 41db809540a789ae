#include "discovery/link_rate.h"

/* The speed of one lane of a link, in units of 100 Mb/s. */
static uint32_t
lane_rate(uint8_t speed, uint8_t speed_ext)
{
	/* FDR EDR HDR NDR XDR, a bit each */
	static const uint16_t ext[] = {140, 250, 500, 1000, 2000};

	for (int i = 4; i >= 0; i--)
		if ((speed_ext >> i & 1) != 0)
			return ext[i];
	return speed >= 4 ? 100 : speed >= 2 ? 50 : 25;
}

static uint32_t
count_lanes(uint8_t width)
{
	/* the bits of a width by the number of lanes, the widest first */
	static const struct {
		uint8_t bit, lanes;
	} widths[] = {{8, 12}, {4, 8}, {2, 4}, {16, 2}};

	for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if ((width & widths[i].bit) != 0)
			return widths[i].lanes;
	return 1;
}

uint32_t
link_rate_of(uint8_t width, uint8_t speed, uint8_t speed_ext)
{
	return lane_rate(speed, speed_ext) * count_lanes(width);
}

uint32_t
link_rate_active(const struct topo_port *p)
{
	return link_rate_of(p->width, p->speed, p->speed_ext);
}
