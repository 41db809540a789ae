#include "discovery/sweep/path_probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { PATHS_MAX = 64 };

/* A path that is being probed. */
struct path {
	uint8_t path[64];
	uint8_t hops;
	unsigned open; /* requests in flight; 0: not in use */
	bool found;
};

struct path_probe {
	struct xact *x;
	path_probe_found *found;
	void *cookie;
	struct path path[PATHS_MAX];
};

struct path_probe *
path_probe_new(struct xact *x, path_probe_found *found, void *cookie)
{
	struct path_probe *s = mem_zalloc(1, sizeof(*s));

	s->x = x;
	s->found = found;
	s->cookie = cookie;
	return s;
}

void
path_probe_free(struct path_probe *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < PATHS_MAX; i++)
		assert(s->path[i].open == 0);
	free(s);
}

/*
 * A free entry for the path of r, or NULL: it is being probed, or too many are.
 */
static struct path *
place_for(struct path_probe *s, const struct xact_request *r)
{
	struct path *place = NULL;

	for (unsigned i = 0; i < PATHS_MAX; i++) {
		struct path *w = &s->path[i];

		if (w->open == 0)
			place = place == NULL ? w : place;
		else if (w->hops == r->hops &&
			 memcmp(w->path + 1, r->path + 1, r->hops) == 0)
			return NULL;
	}
	return place;
}

/* The node after some hops of a path: the cap per target protects it. */
static uint64_t
node_behind(const uint8_t path[64], unsigned hops)
{
	return fnv_more(FNV_START, path + 1, hops) | 1;
}

/*
 * The answer about the port after some hops of a path: tag is entry and hops.
 */
static void
on_port_info(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct path_probe *s = cookie;
	struct path *w = &s->path[tag >> 8];
	unsigned hops = (unsigned)(tag & 0xff);
	struct mad_port_info pi;
	uint8_t path[64];

	w->open--;
	if (w->found || res->outcome != XACT_OK ||
		mad_port_info_decode(res->data, &pi, NULL) != 0 ||
		(pi.phys_state == PORT_PHYS_LINK_UP && pi.state >= PORT_INIT))
		return;
	w->found = true;
	memcpy(path, w->path, sizeof(path));
	s->found(s->cookie, path, hops, res->now);
	xact_cut(s->x, path, hops + 1, res->now);
}

void
path_probe_late(struct path_probe *s, const void *owner,
	const struct xact_request *r, unsigned first, struct mono now)
{
	struct xact_request q = {.method = MAD_GET, .attr = MAD_PORT_INFO};
	struct path *w;

	if (owner == s || r->lid != 0 || r->hops <= first)
		return;
	w = place_for(s, r);
	if (w == NULL)
		return;
	*w = (struct path){.hops = r->hops, .open = r->hops - first};
	memcpy(w->path, r->path, sizeof(w->path));
	memcpy(q.path, r->path, sizeof(q.path));
	for (unsigned i = first; i < r->hops; i++) {
		q.hops = (uint8_t)i;
		q.mod = r->path[i + 1];
		q.target = node_behind(r->path, i);
		xact_submit(s->x, &q, now, on_port_info, s,
			(uint64_t)(w - s->path) << 8 | i);
	}
}
