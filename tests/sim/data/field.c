#include "tests/sim/data/field.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"

/* End the test here, with this reason. No libcheck: heddle-sim is linked with
 * this file, too, and is built without the packages that tests need. */
static void
require_field(bool fine, const char *why)
{
	if (fine)
		return;
	(void)fprintf(stderr, "field: %s\n", why);
	abort();
}

uint16_t
field_lid(uint32_t node)
{
	return (uint16_t)(node + 1);
}

void
field_ports(struct sim *s, const struct fabric *f, uint8_t mtu, uint8_t vls,
	uint8_t hoq)
{
	for (uint32_t n = 0; n < f->nnodes; n++) {
		for (unsigned p = 1; p <= f->node[n].nports; p++) {
			struct mad_port_info pi = *sim_port_info(s, n, p);

			pi.mtu = mtu;
			pi.op_vls = vls;
			pi.hoq_life = hoq;
			sim_hand_port(s, n, p, &pi);
		}
		if (f->node[n].type == FABRIC_SWITCH)
			sim_hand_life(s, n, 20);
	}
}

struct field
field_new(struct fabric *f, const struct data_options *o)
{
	struct sim_options so = sim_defaults();
	struct field x = {.f = f};

	assert(f != NULL);
	x.s = sim_new(f, &so);
	for (uint32_t n = 0; n < f->nnodes; n++)
		sim_set_lid(x.s, n, f->node[n].type == FABRIC_SWITCH ? 0 : 1,
			field_lid(n));
	sim_activate_all(x.s);
	field_ports(x.s, f, 5, 4, 20);
	x.d = data_new(x.s, o);
	return x;
}

void
field_free(struct field *x)
{
	data_free(x->d);
	sim_free(x->s);
	fabric_free(x->f);
}

void
field_run(struct field *x, int64_t ns)
{
	data_run_until(x->d, mono_add(sim_now(x->s), (struct mono){ns}));
	require_field(data_check(x->d, &x->why) == 0, x->why.text);
	data_report_get(x->d, &x->r);
}

void
field_slow(struct fabric *f)
{
	for (uint32_t i = 0; i < f->ncables; i++)
		f->cable[i].rate = (struct fabric_rate){2, 1, 0, false};
}

void
field_route_shortest(struct field *x, uint32_t gap)
{
	const struct fabric *f = x->f;
	uint32_t *queue = calloc(f->nnodes, sizeof(*queue));
	bool *seen = calloc(f->nnodes, sizeof(*seen));

	for (uint32_t dst = 0; dst < f->nnodes; dst++) {
		uint32_t n = 0;

		memset(seen, 0, f->nnodes * sizeof(*seen));
		if (f->node[dst].type == FABRIC_SWITCH)
			sim_set_lft(x->s, dst, field_lid(dst), 0);
		seen[dst] = true;
		queue[n++] = dst;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = queue[i], to;
			unsigned pp;

			if (i && f->node[at].type == FABRIC_CA)
				continue;
			for (unsigned p = 1; p <= f->node[at].nports; p++) {
				if (!fabric_peer(f, at, p, &to, &pp) ||
					seen[to] || to == at + gap ||
					at == to + gap)
					continue;
				seen[to] = true;
				queue[n++] = to;
				if (f->node[to].type == FABRIC_SWITCH)
					sim_set_lft(x->s, to, field_lid(dst),
						(uint8_t)pp);
			}
		}
	}
	free(queue);
	free(seen);
}

void
field_route_clockwise(struct sim *s, const struct fabric *f)
{
	for (uint32_t sw = 0; sw < f->nnodes; sw += 2) {
		uint32_t peer;
		unsigned pp, next = 0;

		for (unsigned p = 1; p <= f->node[sw].nports; p++) {
			if (fabric_peer(f, sw, p, &peer, &pp) &&
				peer == (sw + 2) % f->nnodes)
				next = p;
		}
		for (uint32_t n = 0; n < f->nnodes; n++) {
			unsigned p = f->node[n].type == FABRIC_SWITCH ? 0 : 1;
			uint16_t lid = sim_port_info(s, n, p)->lid;

			sim_set_lft(s, sw, lid, (uint8_t)next);
			if (n == sw)
				sim_set_lft(s, sw, lid, 0);
			if (n == sw + 1) {
				bool linked = fabric_peer(f, n, 1, &peer, &pp);

				assert(linked);
				(void)linked;
				sim_set_lft(s, sw, lid, (uint8_t)pp);
			}
		}
	}
}

void
field_route_tree(struct field *x)
{
	const struct fabric *f = x->f;
	uint32_t *up = calloc(f->nnodes, sizeof(*up));
	uint32_t *order = calloc(f->nnodes, sizeof(*order)), n = 1;
	uint8_t *up_port = calloc(f->nnodes, 1), *down = calloc(f->nnodes, 1);
	bool *seen = calloc(f->nnodes, sizeof(*seen));

	seen[0] = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = order[i], to;
		unsigned pp;

		for (unsigned p = 1; p <= f->node[at].nports; p++) {
			if (f->node[at].type == FABRIC_CA ||
				!fabric_peer(f, at, p, &to, &pp) || seen[to])
				continue;
			seen[to] = true;
			up[to] = at;
			up_port[to] = (uint8_t)pp;
			down[to] = (uint8_t)p;
			order[n++] = to;
		}
	}
	for (uint32_t dst = 0; dst < n; dst++) {
		for (uint32_t i = 0; i < n; i++) {
			if (f->node[order[i]].type == FABRIC_SWITCH)
				sim_set_lft(x->s, order[i], field_lid(dst),
					up_port[order[i]]);
		}
		if (f->node[dst].type == FABRIC_SWITCH)
			sim_set_lft(x->s, dst, field_lid(dst), 0);
		for (uint32_t at = dst; at != 0; at = up[at])
			sim_set_lft(x->s, up[at], field_lid(dst), down[at]);
	}
	free(up);
	free(order);
	free(up_port);
	free(down);
	free(seen);
}

struct world *
field_bring_up(const struct fabric *f, const char *yaml)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	world_start(w);
	require_field(world_settle(w, mono_ms(60000)), w->last_why);
	return w;
}

void
field_saturate(struct field *x)
{
	struct data_traffic t = data_traffic_defaults();

	data_traffic_start(x->d, &t);
}
