/*
 * The control socket: a server and its clients in one process, in a temporary
 * directory, with views made by hand. Nothing here depends on the speed of the
 * machine: the loop turns until the expected event has happened.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_CTL_CTL_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SM_CTL_CTL_FIXTURE_H

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/loop.h"
#include "sm/ctl/ctl.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

struct fixture {
	char dir[64];
	char path[128];
	struct loop *loop;
	struct loop_timer *tick; /* so that a turn always ends */
	struct ctl *ctl;
	struct view *view;
	bool busy; /* a routing job owns the pool */
	uint64_t sweeps, last_event;
	unsigned asked; /* sweeps requested */
	unsigned rebalanced;
	const char *refuse;
	uid_t uid; /* whose the next connections are; 0: the test's user */
	/* behind view */
	struct topo *topo;
	struct lft_pool *pool;
};

/* ---- the daemon's side ---- */

static inline struct view *
get_view(void *cookie)
{
	return ((struct fixture *)cookie)->view;
}

static inline json_t *
get_status(void *cookie)
{
	const struct fixture *f = cookie;

	return json_pack("{s:s, s:i}", "role", "master", "generation",
		f->view != NULL ? (int)f->view->generation : 0);
}

static inline uint64_t
get_sweeps(void *cookie)
{
	return ((struct fixture *)cookie)->sweeps;
}

static inline bool
may_release(void *cookie)
{
	return !((struct fixture *)cookie)->busy;
}

static inline int
do_sweep(void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct fixture *f = cookie;

	ck_assert_uint_eq(uid, getuid());
	if (f->refuse != NULL)
		return reason_set(why, "%s", f->refuse);
	f->asked++;
	*sweeps = f->sweeps + 1;
	ctl_changed(f->ctl, loop_now()); /* from inside a request */
	return 0;
}

static inline json_t *
do_record(void *cookie)
{
	(void)cookie;
	return json_pack("{s:s, s:i}", "dir", "/rec", "put", 7);
}

static inline int
do_hand_over(void *cookie, uid_t uid, struct sm_other *to, struct reason *why)
{
	const struct fixture *f = cookie;

	(void)uid;
	if (f->refuse != NULL)
		return reason_set(why, "%s", f->refuse);
	*to = (struct sm_other){
		.guid = 7, .priority = 3, .answers = true, .name = "h\xff"};
	return 0;
}

static inline int
do_rebalance(void *cookie, uid_t uid, struct reason *why)
{
	struct fixture *f = cookie;

	ck_assert_uint_eq(uid, getuid());
	if (f->refuse != NULL)
		return reason_set(why, "%s", f->refuse);
	f->rebalanced++;
	return 0;
}

static inline json_t *
do_groups(void *cookie, const char *which, struct reason *why)
{
	(void)cookie;
	if (which != NULL) {
		(void)reason_set(why, "no group '%s'", which);
		return NULL;
	}
	return json_pack("{s:[{s:s, s:s, s:s, s:i, s:i, s:i, s:{s:s}}], s:b}",
		"groups", "mgid", "ff12:401b:ffff::ffff:ffff", "mlid", "0xc000",
		"pkey", "0xffff", "members", 3, "receivers", 2, "switches", 1,
		"root", "name", "leaf1", "one", 0);
}

static inline json_t *
get_events(void *cookie, uint64_t since)
{
	const struct fixture *f = cookie;

	return json_pack("{s:I, s:I, s:[]}", "last", (json_int_t)f->last_event,
		"since", (json_int_t)since, "events");
}

static inline uint64_t
get_last_event(void *cookie)
{
	const struct fixture *f = cookie;

	return f->last_event;
}

static inline json_t *
do_links(void *cookie, uid_t uid, const struct links_ask *ask, bool accept)
{
	(void)cookie;
	ck_assert_uint_eq(uid, getuid());
	return json_pack("{s:b, s:b, s:b, s:b}", "accepted", accept, "bad",
		ask->bad, "slow", ask->slow, "errors", ask->errors);
}

static inline struct links_facts
get_link_facts(void *cookie)
{
	const struct fixture *f = cookie;

	return (struct links_facts){.t = f->view->topo};
}

static inline json_t *
do_drain(void *cookie, uid_t uid, const struct ctl_drain *ask,
	struct reason *why)
{
	const struct fixture *f = cookie;

	ck_assert_uint_eq(uid, getuid());
	if (f->refuse == NULL)
		return json_pack("{s:s, s:I, s:s*, s:b, s:b}", "node",
			ask->node, "for", (json_int_t)ask->seconds, "reason",
			ask->reason, "force", ask->force, "back", ask->back);
	(void)reason_set(why, "%s", f->refuse);
	return NULL;
}

static inline json_t *
do_drains(void *cookie, const char *node, struct reason *why)
{
	const struct fixture *f = cookie;

	if (f->refuse == NULL)
		return json_pack("{s:s*, s:[]}", "node", node, "drains");
	(void)reason_set(why, "%s", f->refuse);
	return NULL;
}

static inline json_t *
do_names(void *cookie, uid_t uid, bool accept)
{
	(void)cookie;
	ck_assert_uint_eq(uid, getuid());
	return json_pack("{s:b}", "accepted", accept);
}

static inline json_t *
get_memory(void *cookie, bool tables)
{
	(void)cookie;
	(void)tables;
	return json_pack("{s:s, s:s}", "config", "", "state", "");
}

static inline uid_t
get_peer_uid(void *cookie, int fd)
{
	const struct fixture *f = cookie;

	(void)fd;
	return f->uid != 0 ? f->uid : getuid();
}

static inline const struct ctl_ops *
ops_of(struct fixture *f, struct ctl_ops *ops)
{
	*ops = (struct ctl_ops){
		.cookie = f,
		.view = get_view,
		.status = get_status,
		.sweeps = get_sweeps,
		.may_release = may_release,
		.sweep = do_sweep,
		.rebalance = do_rebalance,
		.hand_over = do_hand_over,
		.record = do_record,
		.groups = do_groups,
		.events = get_events,
		.last_event = get_last_event,
		.links = do_links,
		.link_facts = get_link_facts,
		.names = do_names,
		.drain = do_drain,
		.drains = do_drains,
		.memory = get_memory,
		.peer_uid = get_peer_uid,
	};
	return ops;
}

static inline void
on_tick(void *cookie, struct mono now)
{
	struct fixture *f = cookie;

	loop_timer_set(f->tick, mono_add(now, mono_ms(1)));
}

static inline void
fixture_start(struct fixture *f, const struct server_limits *limits)
{
	struct ctl_ops ops;
	struct reason why;

	*f = (struct fixture){.dir = "/tmp/heddle-ctl-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/a/b/ctl.sock", f->dir);
	f->loop = loop_new();
	f->tick = loop_timer_new(f->loop, on_tick, f);
	on_tick(f, loop_now());
	f->ctl = ctl_open(f->loop, f->path, ops_of(f, &ops), limits, &why);
	ck_assert_msg(f->ctl != NULL, "%s", why.text);
}

static inline void
fixture_stop(struct fixture *f)
{
	char cmd[128];

	ctl_close(f->ctl);
	ck_assert_int_ne(access(f->path, F_OK), 0);
	if (f->view != NULL) {
		ck_assert_uint_eq(f->view->refs, 1); /* the only reference */
		view_unref(f->view);
		ck_assert_uint_eq(f->topo->refs, 1);
		free(f->topo->by_node);
		free(f->topo->by_pguid);
		hand_free(f->topo);
		lft_pool_free(f->pool);
	}
	loop_timer_free(f->tick);
	loop_free(f->loop);
	(void)snprintf(cmd, sizeof(cmd), "rm -r %s", f->dir);
	ck_assert_int_eq(system(cmd), 0);
}
AUTO_VALUE(fixture, struct fixture, fixture_stop)

/* ---- the clients' side ---- */

static inline int
client_connect(struct fixture *f)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_lt(strlen(f->path), sizeof(sun.sun_path));
	memcpy(sun.sun_path, f->path, strlen(f->path));
	ck_assert_int_eq(
		connect(fd, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	return fd;
}

static inline void
client_send(struct fixture *f, int fd, const char *p, size_t n)
{
	ssize_t done;

	while (n > 0) {
		done = send(fd, p, n, MSG_NOSIGNAL);
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
		loop_once(f->loop);
	}
}

static inline void
client_send_text(struct fixture *f, int fd, const char *s)
{
	client_send(f, fd, s, strlen(s));
}

/* The next line, or NULL if the server hung up; the caller frees it. */
static inline char *
client_receive_line(struct fixture *f, int fd)
{
	struct buf b = {0};
	char c;
	ssize_t n;

	for (;;) {
		n = recv(fd, &c, 1, 0);
		if (n == 0)
			break;
		if (n < 0) {
			loop_once(f->loop);
			continue;
		}
		if (c == '\n')
			return b.text;
		buf_put(&b, &c, 1);
	}
	ck_assert_uint_eq(b.n, 0); /* no half lines */
	buf_free(&b);
	return NULL;
}

static inline json_t *
client_receive(struct fixture *f, int fd)
{
	AUTO(mem) char *line = client_receive_line(f, fd);
	json_error_t err;
	json_t *j;

	ck_assert_ptr_nonnull(line);
	j = json_loads(line, 0, &err);
	ck_assert_msg(j != NULL, "%s in %.200s", err.text, line);
	return j;
}

static inline json_t *
client_ask(struct fixture *f, int fd, const char *s)
{
	client_send_text(f, fd, s);
	return client_receive(f, fd);
}

static inline void
expect_error(struct fixture *f, int fd, const char *code)
{
	AUTO(json) json_t *j = client_receive(f, fd);
	const char *got = json_string_value(json_object_get(j, "code"));

	ck_assert(json_is_false(json_object_get(j, "ok")));
	ck_assert_str_eq(got, code);
	ck_assert_ptr_nonnull(json_object_get(j, "error"));
}

static inline void
expect_status(struct fixture *f, int fd)
{
	AUTO(json) json_t *j = client_receive(f, fd);
	const json_t *r = json_object_get(j, "result");

	ck_assert(json_is_true(json_object_get(j, "ok")));
	ck_assert_str_eq(
		json_string_value(json_object_get(r, "role")), "master");
}

static inline void
expect_end(struct fixture *f, int fd)
{
	ck_assert_ptr_null(client_receive_line(f, fd));
	(void)close(fd);
}

/* ---- a view: nsw switches in a line, nhosts hosts on each ---- */

static inline void
route_line(struct routes *r, unsigned nhosts)
{
	const struct topo *t = r->topo;
	AUTO(mem) uint8_t *row = mem_alloc(r->nblocks * LFT_BLOCK);

	for (sw_ix s = 0; s < t->nsw; s++) {
		memset(row, LFT_DROP, r->nblocks * LFT_BLOCK);
		for (unsigned lid = 1; lid <= t->max_lid; lid++) {
			port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);
			sw_ix at = topo_switch_of(t, p);

			if (at < s)
				row[lid] = (uint8_t)(nhosts + 1);
			else if (at > s)
				row[lid] = (uint8_t)(nhosts + 2);
			else if (t->node[t->port[p].node].sw == s)
				row[lid] = 0;
			else
				row[lid] = t->port[t->port[p].peer].num;
		}
		routes_put_row(r, s, row, NULL, TOPO_NONE);
		r->rank[s] = s;
	}
}

/* The hand-made GUIDs grow with the index. */
static inline void
index_guids(struct topo *t)
{
	t->by_node = mem_zalloc(t->nnodes, sizeof(*t->by_node));
	t->by_pguid = mem_zalloc(t->nports, sizeof(*t->by_pguid));
	for (node_ix n = 0; n < t->nnodes; n++)
		t->by_node[n] = n;
	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].guid != 0)
			t->by_pguid[t->nguid++] = p;
}

static inline void
give_view(struct fixture *f, unsigned nsw, unsigned nhosts)
{
	struct hand h = {0};
	struct view *v = mem_zalloc(1, sizeof(*v));
	char name[16];

	for (unsigned s = 0; s < nsw; s++) {
		(void)snprintf(name, sizeof(name), "S%u", s);
		hand_node(&h, TOPO_SWITCH, (uint8_t)(nhosts + 2), name);
	}
	for (unsigned i = 0; i < nsw * nhosts; i++) {
		/* a name that a hostile host may choose */
		(void)snprintf(name, sizeof(name),
			i == 1 ? "\x1b[2J\"\\\xff\x7f" : "h%u", i);
		hand_node(&h, TOPO_CA, 1, name);
		hand_link(&h, i / nhosts, i % nhosts + 1, nsw + i, 1);
	}
	for (unsigned s = 0; s + 1 < nsw; s++)
		hand_link(&h, s, nhosts + 2, s + 1, nhosts + 1);
	f->topo = hand_topo(&h);
	hand_lids(f->topo);
	index_guids(f->topo);
	f->pool = lft_pool_new();
	v->refs = 1;
	v->generation = 5;
	v->topo = topo_ref(f->topo);
	v->routes = routes_new(f->topo, f->pool);
	v->routes->report.load_sw = TOPO_NONE;
	route_line(v->routes, nhosts);
	(void)snprintf(v->story.engine, sizeof(v->story.engine), "hand");
	f->view = v;
}

/* ---- tests ---- */

#endif
