#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/sim_int.h"

void
sim_hand_port(struct sim *s, uint32_t node, unsigned port,
	const struct mad_port_info *pi)
{
	sim_int_port(s, node, port)->pi = *pi;
	sim_int_changed(s, SIM_PORT, node, port);
}

void
sim_hand_life(struct sim *s, uint32_t node, uint8_t life)
{
	s->node[node].sw->si.life = life;
}

void
sim_hand_default_mcast(
	struct sim *s, uint32_t node, uint8_t primary, uint8_t other)
{
	s->node[node].sw->si.def_mcast_pri = primary;
	s->node[node].sw->si.def_mcast_not = other;
}

void
sim_hand_change_bit(struct sim *s, uint32_t node, bool set)
{
	s->node[node].sw->si.state_change = set;
}

/* A Set of the attribute: writes go through the tables' own code. */
static struct smp
make_set(uint16_t attr, uint32_t mod, const uint8_t *data, size_t n)
{
	struct smp q = {.method = MAD_SET, .attr = attr, .mod = mod};

	memcpy(q.data, data, n);
	return q;
}

static void
apply_set(struct sim *s, uint32_t node, unsigned arrived, struct smp q)
{
	uint8_t answer[MAD_DATA];

	(void)sim_table_act(s, node, arrived, &q, answer);
	sim_int_changed(s, SIM_PORT, node, arrived);
}

void
sim_hand_set(struct sim *s, uint32_t node, const struct smp *set)
{
	if (set->attr == MAD_PORT_INFO)
		(void)sim_port_set(s, node, set->mod & ~MAD_PORT_INFO_EXT,
			(set->mod & MAD_PORT_INFO_EXT) != 0, set->data);
	else
		apply_set(s, node, 0, *set);
}

void
sim_hand_sl2vl(struct sim *s, uint32_t node, unsigned in, unsigned out,
	const uint8_t row[8])
{
	if (s->node[node].sw)
		apply_set(
			s, node, 0, make_set(MAD_SL2VL, in << 8 | out, row, 8));
	else
		apply_set(s, node, out, make_set(MAD_SL2VL, 0, row, 8));
}

void
sim_hand_mft(struct sim *s, uint32_t node, uint16_t mlid, uint16_t ports)
{
	enum { FIRST = 0xc000, BLOCK = MAD_DATA / 2 };
	uint32_t block = (mlid - (uint32_t)FIRST) / BLOCK;
	uint8_t data[MAD_DATA];

	if (sim_read(s, node, 0, MAD_MFT, block, data) != 0)
		return;
	be_put16(data + (size_t)2 * (mlid % BLOCK), ports);
	apply_set(s, node, 0, make_set(MAD_MFT, block, data, MAD_DATA));
}

void
sim_hand_pkeys(struct sim *s, uint32_t node, unsigned port, unsigned block,
	const uint16_t key[32])
{
	bool sw = s->node[node].sw != NULL;
	uint8_t data[MAD_DATA];

	for (size_t i = 0; i < MAD_DATA / 2; i++)
		be_put16(data + (size_t)2 * i, key[i]);
	apply_set(s, node, sw ? 0 : port,
		make_set(MAD_PKEY_TABLE,
			block | (sw ? (uint32_t)port << 16 : 0), data,
			MAD_DATA));
}

void
sim_hand_guids(struct sim *s, uint32_t node, unsigned port, unsigned block,
	const uint64_t guid[8])
{
	uint8_t data[MAD_DATA];

	for (size_t i = 0; i < MAD_DATA / 8; i++)
		be_put64(data + 8 * i, guid[i]);
	apply_set(
		s, node, port, make_set(MAD_GUID_INFO, block, data, MAD_DATA));
}

void
sim_hand_vlarb(
	struct sim *s, uint32_t node, unsigned port, const uint8_t table[256])
{
	bool sw = s->node[node].sw != NULL;

	for (unsigned part = 1; part <= 4; part++)
		apply_set(s, node, port,
			make_set(MAD_VLARB, part << 16 | (sw ? port : 0),
				table + (size_t)(part - 1) * MAD_DATA,
				MAD_DATA));
}
