#include "discovery/link_rate.h"

/* The speed of one lane of a link, in units of 100 Mb/s. */
static uint32_t
speed_of_1x(uint8_t speed, uint8_t speed_ext)
{
	/* FDR EDR HDR NDR XDR, a bit each */
	static const uint16_t ext[] = {140, 250, 500, 1000, 2000};

	for (int i = 4; i >= 0; i--)
		if ((speed_ext >> i & 1) != 0)
			return ext[i];
	return speed >= PORT_QDR ? 100 : speed >= PORT_DDR ? 50 : 25;
}

static uint32_t
width_factor(uint8_t width)
{
	/* the bits of a width by the number of factor, the widest first */
	static const struct {
		uint8_t bit, factor;
	} widths[] = {{PORT_WIDTH_12X, 12}, {PORT_WIDTH_8X, 8},
		{PORT_WIDTH_4X, 4}, {PORT_WIDTH_2X, 2}};

	for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if ((width & widths[i].bit) != 0)
			return widths[i].factor;
	return 1;
}

uint32_t
link_rate_of(uint8_t width, uint8_t speed, uint8_t speed_ext)
{
	return speed_of_1x(speed, speed_ext) * width_factor(width);
}

uint32_t
link_rate_active(const struct topo_port *p)
{
	return link_rate_of(p->width, p->speed, p->speed_ext);
}

/* The rate that a port tells; UINT16_MAX where it tells none. */
static uint16_t
told_rate(const struct topo_port *p)
{
	if (p->width == 0 || (p->speed == 0 && p->speed_ext == 0))
		return UINT16_MAX;
	return (uint16_t)link_rate_active(p);
}

/* The rate of a link by both of its ends; 0: neither tells it. */
static uint16_t
rate_between(const struct topo *t, port_ix p)
{
	uint16_t a = told_rate(&t->port[p]), b = UINT16_MAX;

	if (t->port[p].peer != TOPO_NONE)
		b = told_rate(&t->port[t->port[p].peer]);
	a = a < b ? a : b;
	return a == UINT16_MAX ? 0 : a;
}

/* Of the links of switch s; rate_max and rate_host are raised to them. */
static void
find_switch_rates(struct topo *t, sw_ix s)
{
	const struct topo_switch *sw = &t->sw[s];
	bool live = topo_sw_live(t, s);

	for (uint32_t i = 0; i < sw->nadj; i++) {
		struct topo_adj *a = &t->adj[sw->adj + i];

		a->rate = rate_between(t, topo_port_of(t, sw->node, a->out));
		if (live && topo_sw_live(t, a->peer) && a->rate > t->rate_max)
			t->rate_max = a->rate;
	}
	for (uint32_t i = 0; live && i < sw->nend; i++) {
		const struct topo_end *e = &t->end[sw->end + i];
		uint16_t rate = e->host ? rate_between(t, e->port) : 0;

		t->rate_host = rate > t->rate_host ? rate : t->rate_host;
	}
}

void
link_rate_find(struct topo *t)
{
	t->rate_max = t->rate_host = 0;
	for (sw_ix s = 0; s < t->nsw; s++)
		find_switch_rates(t, s);
	if (t->rate_max == 0)
		t->rate_max = 1;
	if (t->rate_host == 0 || t->rate_host > t->rate_max)
		t->rate_host = t->rate_max;
	t->rate_min = t->rate_max;
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			a->rate = a->rate == 0 ? t->rate_max : a->rate;
			if (a->rate < t->rate_min && topo_sw_live(t, s) &&
				topo_sw_live(t, a->peer))
				t->rate_min = a->rate;
		}
}
