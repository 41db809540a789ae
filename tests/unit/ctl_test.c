/*
 * The control socket: a server and its clients in one process, in a temporary
 * directory, with views made by hand. Nothing here depends on how fast the
 * machine is: the loop turns until what is expected has happened.
 */
#include <check.h>
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

struct fixture {
	char dir[64];
	char path[128];
	struct loop *loop;
	struct loop_timer *tick; /* so that a turn always ends */
	struct ctl *ctl;
	struct view *view;
	bool busy; /* a routing job owns the tables */
	uint64_t sweeps;
	unsigned asked; /* sweeps asked for */
	const char *refuse;
	/* behind view */
	struct topo *topo;
	struct lft_pool *pool;
};

/* ---- the daemon's side ---- */

static struct view *
get_view(void *cookie)
{
	return ((struct fixture *)cookie)->view;
}

static json_t *
get_status(void *cookie)
{
	const struct fixture *f = cookie;

	return json_pack("{s:s, s:i}", "role", "master", "generation",
		f->view != NULL ? (int)f->view->generation : 0);
}

static uint64_t
get_sweeps(void *cookie)
{
	return ((struct fixture *)cookie)->sweeps;
}

static bool
get_tables(void *cookie)
{
	return !((struct fixture *)cookie)->busy;
}

static int
do_sweep(void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct fixture *f = cookie;

	ck_assert_uint_eq(uid, getuid());
	if (f->refuse != NULL)
		return reason_set(why, "%s", f->refuse);
	f->asked++;
	*sweeps = f->sweeps + 1;
	ctl_changed(f->ctl, loop_now()); /* from inside of a request */
	return 0;
}

static const struct ctl_ops *
ops_of(struct fixture *f, struct ctl_ops *ops)
{
	*ops = (struct ctl_ops){
		f, get_view, get_status, get_sweeps, get_tables, do_sweep};
	return ops;
}

static void
ticked(void *cookie, struct mono now)
{
	struct fixture *f = cookie;

	loop_timer_set(f->tick, mono_add(now, mono_ms(1)));
}

static void
start(struct fixture *f, const struct ctl_limits *limits)
{
	struct ctl_ops ops;
	struct reason why;

	*f = (struct fixture){.dir = "/tmp/heddle-ctl-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/a/b/ctl.sock", f->dir);
	f->loop = loop_new();
	f->tick = loop_timer_new(f->loop, ticked, f);
	ticked(f, loop_now());
	f->ctl = ctl_open(f->loop, f->path, ops_of(f, &ops), limits, &why);
	ck_assert_msg(f->ctl != NULL, "%s", why.text);
}

static void
stop(struct fixture *f)
{
	char cmd[128];

	ctl_close(f->ctl);
	ck_assert_int_ne(access(f->path, F_OK), 0);
	if (f->view != NULL) {
		ck_assert_uint_eq(f->view->refs, 1); /* nobody kept it */
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

/* ---- the clients' side ---- */

static int
dial(struct fixture *f)
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

static void
say(struct fixture *f, int fd, const char *p, size_t n)
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

static void
say_text(struct fixture *f, int fd, const char *s)
{
	say(f, fd, s, strlen(s));
}

/* The next line, or NULL when the server hung up; free() it. */
static char *
hear_line(struct fixture *f, int fd)
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

static json_t *
hear(struct fixture *f, int fd)
{
	char *line = hear_line(f, fd);
	json_error_t err;
	json_t *j;

	ck_assert_ptr_nonnull(line);
	j = json_loads(line, 0, &err);
	ck_assert_msg(j != NULL, "%s in %.200s", err.text, line);
	free(line);
	return j;
}

static json_t *
ask(struct fixture *f, int fd, const char *s)
{
	say_text(f, fd, s);
	return hear(f, fd);
}

static void
expect_error(struct fixture *f, int fd, const char *code)
{
	json_t *j = hear(f, fd);
	const char *got = json_string_value(json_object_get(j, "code"));

	ck_assert(json_is_false(json_object_get(j, "ok")));
	ck_assert_str_eq(got, code);
	ck_assert_ptr_nonnull(json_object_get(j, "error"));
	json_decref(j);
}

static void
expect_status(struct fixture *f, int fd)
{
	json_t *j = hear(f, fd);
	const json_t *r = json_object_get(j, "result");

	ck_assert(json_is_true(json_object_get(j, "ok")));
	ck_assert_str_eq(
		json_string_value(json_object_get(r, "role")), "master");
	json_decref(j);
}

static void
expect_end(struct fixture *f, int fd)
{
	ck_assert_ptr_null(hear_line(f, fd));
	(void)close(fd);
}

/* ---- a view: nsw switches in a line, nhosts hosts on each ---- */

static void
route_line(struct routes *r, unsigned nhosts)
{
	const struct topo *t = r->topo;
	uint8_t *row = mem_alloc(r->nblocks * LFT_BLOCK);

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
	free(row);
}

/* The hand-made GUIDs grow with the index. */
static void
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

static void
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
		/* what a hostile host may call itself */
		(void)snprintf(name, sizeof(name),
			i == 1 ? "\x1b[2J\"\\\xff\x7f" : "h%u", i);
		hand_node(&h, TOPO_CA, 1, name);
		hand_cable(&h, i / nhosts, i % nhosts + 1, nsw + i, 1);
	}
	for (unsigned s = 0; s + 1 < nsw; s++)
		hand_cable(&h, s, nhosts + 2, s + 1, nhosts + 1);
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

START_TEST(status_and_mode)
{
	struct fixture f;
	struct stat st;
	int fd;

	start(&f, NULL);
	ck_assert_int_eq(stat(f.path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	say_text(&f, fd, "\r\n  \n{\"cmd\":\"status\"}\n"); /* blank lines */
	expect_status(&f, fd);
	ck_assert_uint_eq(ctl_stats(f.ctl)->requests, 2);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 0);
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(half_a_line)
{
	struct fixture f;
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\"}\n{\"cmd\":\"sta");
	expect_status(&f, fd);
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	expect_error(&f, fd, "bad-request");
	expect_end(&f, fd);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 1);
	ck_assert_uint_eq(ctl_stats(f.ctl)->clients, 0);
	stop(&f);
}
END_TEST

/* A whole request before the hang-up is answered. */
START_TEST(question_then_end)
{
	struct fixture f;
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\"}\n");
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	expect_status(&f, fd);
	expect_end(&f, fd);
	stop(&f);
}
END_TEST

static const struct {
	const char *text;
	size_t n;
	const char *code;
} wrong[] = {
#define LINE(s, code)                                                          \
	{                                                                      \
		s "\n", sizeof(s "\n") - 1, code                               \
	}
	LINE("hello", "bad-request"),
	LINE("\0\xff\xfe", "bad-request"),
	LINE("[]", "bad-request"),
	LINE("\"status\"", "bad-request"),
	LINE("{}", "bad-request"),
	LINE("{\"cmd\":5}", "bad-request"),
	LINE("{\"cmd\":\"status\"} x", "bad-request"),
	LINE("{\"cmd\":\"status\",\"cmd\":\"sweep\"}", "bad-request"),
	LINE("{\"cmd\":\"\xff\xff\"}", "bad-request"),
	LINE("{\"cmd\":\"a\\u0000b\"}", "bad-request"),
	LINE("{\"cmd\":\"stauts\"}", "unknown-command"),
	LINE("{\"cmd\":\"\\u001b[2J\"}", "unknown-command"),
	LINE("{\"cmd\":\"status\",\"why\":1}", "bad-argument"),
	LINE("{\"cmd\":\"status\",\"wait_sweep\":\"1\"}", "bad-argument"),
	LINE("{\"cmd\":\"status\",\"wait_sweep\":-1}", "bad-argument"),
	LINE("{\"cmd\":\"sweep\",\"now\":true}", "bad-argument"),
	LINE("{\"cmd\":\"topology\"}", "no-view"),
	LINE("{\"cmd\":\"routes\"}", "no-view"),
#undef LINE
};

START_TEST(wrong_requests)
{
	const size_t n = sizeof(wrong) / sizeof(wrong[0]);
	struct fixture f;
	const struct ctl_stats *s;
	uint64_t bad = 0;
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	for (size_t i = 0; i < n; i++) {
		say(&f, fd, wrong[i].text, wrong[i].n);
		expect_error(&f, fd, wrong[i].code);
		bad += strcmp(wrong[i].code, "bad-request") == 0 ? 1 : 0;
		/* and the connection is as good as before */
		say_text(&f, fd, "{\"cmd\":\"status\"}\n");
		expect_status(&f, fd);
	}
	s = ctl_stats(f.ctl);
	ck_assert_uint_eq(s->malformed, bad);
	ck_assert_uint_eq(s->refused, n - bad);
	ck_assert_uint_eq(s->requests, 2 * n);
	ck_assert_uint_eq(f.asked, 0);
	(void)close(fd);
	stop(&f);
}
END_TEST

static void
padded(struct buf *b, size_t n)
{
	buf_printf(b, "{\"cmd\":\"status\"}");
	while (b->n < n)
		buf_put(b, " ", 1);
	buf_put(b, "\n", 1);
}

START_TEST(longest_request)
{
	struct fixture f;
	struct buf b = {0};
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	padded(&b, CTL_REQUEST_MAX);
	say(&f, fd, b.text, b.n);
	expect_status(&f, fd);
	buf_free(&b);
	padded(&b, CTL_REQUEST_MAX + 1);
	say(&f, fd, b.text, b.n);
	expect_error(&f, fd, "bad-request");
	expect_end(&f, fd);
	buf_free(&b);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 1);
	stop(&f);
}
END_TEST

START_TEST(endless_request)
{
	struct fixture f;
	char zeroes[4096] = {0};
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	for (int i = 0; i < 17; i++)
		say(&f, fd, zeroes, sizeof(zeroes));
	expect_error(&f, fd, "bad-request");
	(void)close(fd);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
	stop(&f);
}
END_TEST

START_TEST(two_clients)
{
	struct fixture f;
	const char *req = "{\"cmd\":\"status\"}\n";
	int a, b;

	start(&f, NULL);
	a = dial(&f);
	b = dial(&f);
	for (size_t i = 0; i < strlen(req); i++) {
		say(&f, a, req + i, 1); /* byte by byte */
		say_text(&f, b, req);
		expect_status(&f, b);
	}
	expect_status(&f, a);
	(void)close(a);
	(void)close(b);
	stop(&f);
}
END_TEST

START_TEST(pipelined)
{
	struct fixture f;
	struct buf b = {0};
	int fd;

	start(&f, &(struct ctl_limits){.slice = 50});
	fd = dial(&f);
	for (int i = 0; i < 200; i++)
		buf_printf(&b, "{\"cmd\":\"%s\"}\n",
			i % 2 == 0 ? "status" : "nothing");
	say(&f, fd, b.text, b.n);
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	for (int i = 0; i < 100; i++) {
		expect_status(&f, fd);
		expect_error(&f, fd, "unknown-command");
	}
	expect_end(&f, fd);
	buf_free(&b);
	stop(&f);
}
END_TEST

START_TEST(live_socket_stays)
{
	struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	int fd;

	start(&f, NULL);
	ck_assert_int_eq(ctl_live(f.path), 1);
	ck_assert_ptr_null(
		ctl_open(f.loop, f.path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "another process"));
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(dead_socket_goes)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	int fd;

	start(&f, NULL);
	ctl_close(f.ctl);
	ck_assert_int_eq(ctl_live(f.path), 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	memcpy(sun.sun_path, f.path, strlen(f.path));
	ck_assert_int_eq(
		bind(fd, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	(void)close(fd); /* it died: the file stays */
	ck_assert_int_eq(ctl_live(f.path), 0);
	f.ctl = ctl_open(f.loop, f.path, ops_of(&f, &ops), NULL, &why);
	ck_assert_msg(f.ctl != NULL, "%s", why.text);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(no_place_for_a_socket)
{
	struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	char path[256];
	int fd;

	start(&f, NULL);
	(void)snprintf(path, sizeof(path), "%s/file", f.dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	(void)close(fd);
	ck_assert_ptr_null(
		ctl_open(f.loop, path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "something else"));
	ck_assert_int_eq(access(path, F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s/file/sock", f.dir);
	ck_assert_ptr_null(
		ctl_open(f.loop, path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "Not a directory"));
	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	ck_assert_ptr_null(
		ctl_open(f.loop, path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "107 bytes"));
	stop(&f);
}
END_TEST

START_TEST(too_many_clients)
{
	struct fixture f;
	int a, b;

	start(&f, &(struct ctl_limits){.clients = 1});
	a = dial(&f);
	say_text(&f, a, "{\"cmd\":\"status\"}\n");
	expect_status(&f, a);
	b = dial(&f);
	expect_error(&f, b, "busy");
	expect_end(&f, b);
	(void)close(a);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
	a = dial(&f);
	say_text(&f, a, "{\"cmd\":\"status\"}\n");
	expect_status(&f, a);
	(void)close(a);
	ck_assert_uint_eq(ctl_stats(f.ctl)->dropped, 1);
	stop(&f);
}
END_TEST

START_TEST(sweep_and_wait)
{
	struct fixture f;
	json_t *j;
	char c;
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	j = ask(&f, fd, "{\"cmd\":\"sweep\"}\n");
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(j, "result"), "wait_sweep")),
		1);
	json_decref(j);
	ck_assert_uint_eq(f.asked, 1);
	say_text(&f, fd, "{\"cmd\":\"status\",\"wait_sweep\":1}\n");
	for (int i = 0; i < 5; i++) {
		ctl_changed(f.ctl, loop_now()); /* something else happened */
		loop_once(f.loop);
	}
	ck_assert_int_lt(recv(fd, &c, 1, 0), 0);
	f.sweeps = 1;
	ctl_changed(f.ctl, loop_now());
	expect_status(&f, fd);
	f.refuse = "standing by";
	say_text(&f, fd, "{\"cmd\":\"sweep\"}\n");
	expect_error(&f, fd, "refused");
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(waiting_client_leaves)
{
	struct fixture f;
	int fd;

	start(&f, NULL);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"status\",\"wait_generation\":9}\n");
	while (ctl_stats(f.ctl)->clients == 0)
		loop_once(f.loop);
	(void)close(fd);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
	ck_assert_uint_eq(ctl_stats(f.ctl)->dropped, 0);
	stop(&f);
}
END_TEST

/* Larger than every buffer on the way; the view changes in the midst of it. */
START_TEST(large_reply_slow_reader)
{
	struct fixture f;
	const json_t *nodes, *hostile;
	struct view *old;
	json_t *j;
	int fd;

	start(&f, &(struct ctl_limits){.slice = 1000});
	give_view(&f, 40, 30);
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"topology\"}\n");
	for (int i = 0; i < 10; i++)
		loop_once(f.loop);
	old = f.view;
	ck_assert_uint_eq(old->refs, 2);
	f.view = NULL;
	j = hear(&f, fd);
	f.view = old;
	nodes = json_object_get(json_object_get(j, "result"), "nodes");
	ck_assert_uint_eq(json_array_size(nodes), 40 + 40 * 30);
	hostile = json_array_get(nodes, 40 + 1);
	ck_assert_str_eq(json_string_value(json_object_get(hostile, "name")),
		"?[2J\"\\??");
	json_decref(j);
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(reader_that_stops)
{
	struct fixture f;
	int fd, other;

	start(&f, &(struct ctl_limits){.stall = mono_ms(20)});
	give_view(&f, 40, 30);
	fd = dial(&f);
	for (int i = 0; i < 50; i++)
		say_text(&f, fd, "{\"cmd\":\"topology\"}\n");
	other = dial(&f);
	say_text(&f, other, "{\"cmd\":\"status\"}\n");
	expect_status(&f, other); /* nobody else waits for it */
	while (ctl_stats(f.ctl)->dropped == 0)
		loop_once(f.loop);
	ck_assert_uint_eq(f.view->refs, 1);
	say_text(&f, other, "{\"cmd\":\"status\"}\n");
	expect_status(&f, other);
	(void)close(fd);
	(void)close(other);
	stop(&f);
}
END_TEST

START_TEST(tables_that_are_busy)
{
	struct fixture f;
	struct view *old;
	json_t *j;
	char c;
	int fd, other;

	start(&f, NULL);
	give_view(&f, 3, 2);
	f.busy = true;
	fd = dial(&f);
	say_text(&f, fd, "{\"cmd\":\"routes\",\"to\":\"h5\"}\n");
	for (int i = 0; i < 10; i++)
		loop_once(f.loop);
	ck_assert_int_lt(recv(fd, &c, 1, 0), 0);
	other = dial(&f);
	say_text(&f, other, "{\"cmd\":\"topology\"}\n");
	j = hear(&f, other); /* needs no tables, but pins the view */
	json_decref(j);
	old = f.view;
	ck_assert_uint_eq(old->refs, 2); /* let go later */
	f.busy = false;
	ctl_changed(f.ctl, loop_now());
	j = hear(&f, fd);
	ck_assert(json_is_true(json_object_get(j, "ok")));
	json_decref(j);
	(void)close(fd);
	(void)close(other);
	stop(&f);
}
END_TEST

static long long
at(const json_t *list, size_t i, const char *key)
{
	return json_integer_value(
		json_object_get(json_array_get(list, i), key));
}

START_TEST(routes_of_a_line)
{
	struct fixture f;
	const json_t *r, *list;
	json_t *j;
	int fd;

	start(&f, NULL);
	give_view(&f, 3, 2);
	fd = dial(&f);

	j = ask(&f, fd,
		"{\"cmd\":\"routes\",\"from\":\"0x1031\",\"to\":\"h5\"}\n");
	list = json_object_get(json_object_get(j, "result"), "steps");
	ck_assert_uint_eq(json_array_size(list), 3);
	ck_assert_int_eq(at(list, 0, "in"), 1);
	ck_assert_int_eq(at(list, 0, "out"), 4);
	ck_assert_int_eq(at(list, 2, "in"), 3);
	ck_assert_int_eq(at(list, 2, "out"), 2);
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(list, 0), "direction")),
		"down");
	json_decref(j);

	/* h5 by its LID: hosts have 1..6 */
	j = ask(&f, fd, "{\"cmd\":\"routes\",\"to\":\"6\"}\n");
	r = json_object_get(j, "result");
	list = json_object_get(r, "entries");
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_object_get(r, "to"), "name")),
		"h5");
	ck_assert_uint_eq(json_array_size(list), 3);
	ck_assert_int_eq(at(list, 0, "out"), 4);
	ck_assert_int_eq(at(list, 2, "out"), 2);
	json_decref(j);

	/* S1 by its GUID */
	j = ask(&f, fd, "{\"cmd\":\"routes\",\"switch\":\"0x1010\"}\n");
	list = json_object_get(json_object_get(j, "result"), "entries");
	ck_assert_uint_eq(json_array_size(list), 9);
	ck_assert_int_eq(at(list, 0, "out"), 3);
	ck_assert_int_eq(at(list, 2, "out"), 1);
	ck_assert_int_eq(at(list, 5, "out"), 4);
	ck_assert_int_eq(at(list, 7, "out"), 0);
	json_decref(j);

	j = ask(&f, fd, "{\"cmd\":\"routes\"}\n");
	r = json_object_get(j, "result");
	ck_assert_uint_eq(json_array_size(json_object_get(r, "ranks")), 3);
	json_decref(j);
	(void)close(fd);
	stop(&f);
}
END_TEST

static const struct {
	const char *text;
	const char *code;
} lost[] = {
	{"\"to\":\"h99\"", "not-found"},
	{"\"to\":\"h\"", "not-found"}, /* more than one */
	{"\"to\":\"\"", "not-found"},
	{"\"to\":\"0\"", "not-found"},
	{"\"to\":\"10\"", "not-found"},
	{"\"to\":\"99999999999999999999\"", "not-found"},
	{"\"to\":\"0xdead\"", "not-found"},
	{"\"switch\":\"h1\"", "not-found"},
	{"\"switch\":\"1\"", "not-found"},
	{"\"from\":\"h1\"", "bad-argument"},
	{"\"to\":\"h1\",\"switch\":\"S1\"", "bad-argument"},
	{"\"to\":1", "bad-argument"},
};

START_TEST(routes_to_nowhere)
{
	struct fixture f;
	char line[128];
	int fd;

	start(&f, NULL);
	give_view(&f, 3, 2);
	fd = dial(&f);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		(void)snprintf(line, sizeof(line), "{\"cmd\":\"routes\",%s}\n",
			lost[i].text);
		say_text(&f, fd, line);
		expect_error(&f, fd, lost[i].code);
	}
	say_text(&f, fd, "{\"cmd\":\"topology\",\"format\":\"dot\"}\n");
	expect_error(&f, fd, "bad-argument");
	(void)close(fd);
	stop(&f);
}
END_TEST

START_TEST(topology_as_text)
{
	struct fixture f;
	const char *text;
	json_t *j;
	int fd;

	start(&f, &(struct ctl_limits){.slice = 100});
	give_view(&f, 3, 2);
	fd = dial(&f);
	j = ask(&f, fd,
		"{\"cmd\":\"topology\",\"format\":\"ibnetdiscover\"}\n");
	text = json_string_value(
		json_object_get(json_object_get(j, "result"), "text"));
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, "Switch\t"));
	ck_assert_ptr_nonnull(strstr(text, "\"S2\""));
	json_decref(j);
	(void)close(fd);
	stop(&f);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ctl");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, status_and_mode);
	tcase_add_test(tc, half_a_line);
	tcase_add_test(tc, question_then_end);
	tcase_add_test(tc, wrong_requests);
	tcase_add_test(tc, longest_request);
	tcase_add_test(tc, endless_request);
	tcase_add_test(tc, two_clients);
	tcase_add_test(tc, pipelined);
	tcase_add_test(tc, live_socket_stays);
	tcase_add_test(tc, dead_socket_goes);
	tcase_add_test(tc, no_place_for_a_socket);
	tcase_add_test(tc, too_many_clients);
	tcase_add_test(tc, sweep_and_wait);
	tcase_add_test(tc, waiting_client_leaves);
	tcase_add_test(tc, large_reply_slow_reader);
	tcase_add_test(tc, reader_that_stops);
	tcase_add_test(tc, tables_that_are_busy);
	tcase_add_test(tc, routes_of_a_line);
	tcase_add_test(tc, routes_to_nowhere);
	tcase_add_test(tc, topology_as_text);
	suite_add_tcase(suite, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
