#include "sm/base/be.h"
#include "tests/sim/serve/serve_int.h"

/* Give a message that arrived at a port to the client that it is for. */
static void
on_arrival(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct serve_place *p = cookie;

	if (p->take && p->take(p->take_cookie, m, now))
		return;
	if (!serve_data_arrival(p, m) && p->take)
		umadserve_unmatched(p->e, m);
}

struct serve_place *
serve_place_get(struct serve *s, uint32_t node, unsigned port)
{
	struct serve_place *p = NULL;

	for (int i = 0; i < SERVE_PLACES; i++) {
		struct serve_place *q = &s->place[i];

		if (q->users && q->node == node && q->port == port) {
			q->users++;
			return q;
		}
		if (!q->users && !p)
			p = q;
	}
	if (!p)
		return NULL;
	*p = (struct serve_place){
		.s = s, .node = node, .port = (uint8_t)port, .users = 1};
	p->e = sim_attach(s->sim, node, port, on_arrival, p);
	return p;
}

void
serve_place_put(struct serve_place *p)
{
	if (--p->users == 0)
		sim_detach(p->e);
}

/* The hub of umadserve: called when one of its programs attaches to a port. */
static struct sim_endpoint *
hub_attach(void *cookie, uint32_t node, unsigned port, umadserve_take *take,
	void *take_cookie)
{
	struct serve_place *p = serve_place_get(cookie, node, port);

	if (!p)
		return NULL;
	p->take = take;
	p->take_cookie = take_cookie;
	return p->e;
}

static void
/* cppcheck-suppress constParameter ; the type of the hub demands it */
hub_detach(void *cookie, struct sim_endpoint *e)
{
	struct serve *s = cookie;

	for (int i = 0; i < SERVE_PLACES; i++) {
		struct serve_place *p = &s->place[i];

		if (p->users && p->e == e) {
			p->take = NULL;
			serve_place_put(p);
			return;
		}
	}
}

static void
on_umad(void *cookie, unsigned events, struct mono now)
{
	struct serve *s = cookie;
	struct mono t = serve_now(s);

	(void)events;
	(void)now;
	sim_run_until(s->sim, t);
	umadserve_turn(s->umad, t);
	serve_settle(s);
}

int
serve_place_open(struct serve *s, struct reason *why)
{
	struct umadserve_options o = {
		.sim = s->sim,
		.fabric = s->f,
		.name = s->name,
		.hub = &s->hub,
		.planar = s->o.planar,
	};

	s->hub = (struct umadserve_hub){hub_attach, hub_detach, s};
	s->umad = umadserve_new(&o, why);
	if (!s->umad)
		return -1;
	s->umad_watch = loop_fd_new(
		s->loop, umadserve_fd(s->umad), LOOP_READ, on_umad, s);
	return 0;
}

void
serve_place_close(struct serve *s)
{
	loop_fd_free(s->umad_watch);
	umadserve_free(s->umad);
}
