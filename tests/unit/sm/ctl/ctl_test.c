/* Requests, clients and sockets: what a control server must withstand. */
#include "routing/tiers/tree.h"
#include "tests/unit/sm/ctl/ctl_fixture.h"
#include "tests/unit/suite.h"

enum { STRANGER = 70001 }; /* a user that does not run the test */

TEST(status_and_mode)
{
	AUTO(fixture) struct fixture f;
	struct stat st;
	int fd;

	fixture_start(&f, NULL);
	ck_assert_int_eq(stat(f.path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	client_send_text(
		&f, fd, "\r\n  \n{\"cmd\":\"status\"}\n"); /* blank lines */
	expect_status(&f, fd);
	ck_assert_uint_eq(ctl_stats(f.ctl)->requests, 2);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 0);
	(void)close(fd);
}

TEST(half_a_line)
{
	AUTO(fixture) struct fixture f;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n{\"cmd\":\"sta");
	expect_status(&f, fd);
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	expect_error(&f, fd, "bad-request");
	expect_end(&f, fd);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 1);
	ck_assert_uint_eq(ctl_stats(f.ctl)->clients, 0);
}

/* A whole request before the hang-up is answered. */
TEST(question_then_end)
{
	AUTO(fixture) struct fixture f;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	expect_status(&f, fd);
	expect_end(&f, fd);
}

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
	LINE("{\"cmd\":\"tree\"}", "no-view"),
#undef LINE
};

TEST(wrong_requests)
{
	const size_t n = sizeof(wrong) / sizeof(wrong[0]);
	AUTO(fixture) struct fixture f;
	const struct server_stats *s;
	uint64_t bad = 0;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	for (size_t i = 0; i < n; i++) {
		client_send(&f, fd, wrong[i].text, wrong[i].n);
		expect_error(&f, fd, wrong[i].code);
		bad += strcmp(wrong[i].code, "bad-request") == 0 ? 1 : 0;
		/* and the connection is as good as before */
		client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
		expect_status(&f, fd);
	}
	s = ctl_stats(f.ctl);
	ck_assert_uint_eq(s->malformed, bad);
	ck_assert_uint_eq(s->refused, n - bad);
	ck_assert_uint_eq(s->requests, 2 * n);
	ck_assert_uint_eq(f.asked, 0);
	(void)close(fd);
}

static void
pad_request(struct buf *b, size_t n)
{
	buf_printf(b, "{\"cmd\":\"status\"}");
	while (b->n < n)
		buf_put(b, " ", 1);
	buf_put(b, "\n", 1);
}

TEST(longest_request)
{
	AUTO(fixture) struct fixture f;
	struct buf b = {0};
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	pad_request(&b, SERVER_REQUEST_MAX);
	client_send(&f, fd, b.text, b.n);
	expect_status(&f, fd);
	buf_free(&b);
	pad_request(&b, SERVER_REQUEST_MAX + 1);
	client_send(&f, fd, b.text, b.n);
	expect_error(&f, fd, "bad-request");
	expect_end(&f, fd);
	buf_free(&b);
	ck_assert_uint_eq(ctl_stats(f.ctl)->malformed, 1);
}

TEST(endless_request)
{
	AUTO(fixture) struct fixture f;
	char zeroes[4096] = {0};
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	for (int i = 0; i < 17; i++)
		client_send(&f, fd, zeroes, sizeof(zeroes));
	expect_error(&f, fd, "bad-request");
	(void)close(fd);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
}

TEST(two_clients)
{
	AUTO(fixture) struct fixture f;
	const char *req = "{\"cmd\":\"status\"}\n";
	int a, b;

	fixture_start(&f, NULL);
	a = client_connect(&f);
	b = client_connect(&f);
	for (size_t i = 0; i < strlen(req); i++) {
		client_send(&f, a, req + i, 1); /* byte by byte */
		client_send_text(&f, b, req);
		expect_status(&f, b);
	}
	expect_status(&f, a);
	(void)close(a);
	(void)close(b);
}

TEST(pipelined)
{
	AUTO(fixture) struct fixture f;
	AUTO(buf) struct buf b = {0};
	int fd;

	fixture_start(&f, &(struct server_limits){.slice = 50});
	fd = client_connect(&f);
	for (int i = 0; i < 200; i++)
		buf_printf(&b, "{\"cmd\":\"%s\"}\n",
			i % 2 == 0 ? "status" : "nothing");
	client_send(&f, fd, b.text, b.n);
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	for (int i = 0; i < 100; i++) {
		expect_status(&f, fd);
		expect_error(&f, fd, "unknown-command");
	}
	expect_end(&f, fd);
}

TEST(live_socket_stays)
{
	AUTO(fixture) struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	int fd;

	fixture_start(&f, NULL);
	ck_assert_int_eq(server_live(f.path), 1);
	ck_assert_ptr_null(
		ctl_open(f.loop, f.path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "another process"));
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	(void)close(fd);
}

TEST(dead_socket_goes)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	AUTO(fixture) struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	int fd;

	fixture_start(&f, NULL);
	ctl_close(f.ctl);
	ck_assert_int_eq(server_live(f.path), 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	memcpy(sun.sun_path, f.path, strlen(f.path));
	ck_assert_int_eq(
		bind(fd, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	(void)close(fd); /* the socket is dead: its file stays */
	ck_assert_int_eq(server_live(f.path), 0);
	f.ctl = ctl_open(f.loop, f.path, ops_of(&f, &ops), NULL, &why);
	ck_assert_msg(f.ctl != NULL, "%s", why.text);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd);
	(void)close(fd);
}

TEST(no_place_for_a_socket)
{
	AUTO(fixture) struct fixture f;
	struct ctl_ops ops;
	struct reason why = {""};
	char path[256];
	int fd;

	fixture_start(&f, NULL);
	(void)snprintf(path, sizeof(path), "%s/file", f.dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	(void)close(fd);
	ck_assert_ptr_null(
		ctl_open(f.loop, path, ops_of(&f, &ops), NULL, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "exists and is not a socket"));
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
}

TEST(too_many_clients)
{
	AUTO(fixture) struct fixture f;
	int a, b;

	fixture_start(&f, &(struct server_limits){.clients = 1});
	f.uid = STRANGER;
	a = client_connect(&f);
	client_send_text(&f, a, "{\"cmd\":\"status\"}\n");
	expect_status(&f, a);
	b = client_connect(&f);
	expect_error(&f, b, "busy");
	expect_end(&f, b);
	(void)close(a);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
	a = client_connect(&f);
	client_send_text(&f, a, "{\"cmd\":\"status\"}\n");
	expect_status(&f, a);
	(void)close(a);
	ck_assert_uint_eq(ctl_stats(f.ctl)->dropped, 1);
}

/* One user cannot take all places, all users together not the one of the
 * daemon's own user. */
TEST(own_user_keeps_a_place)
{
	enum { PLACES = 64, EACH = 16 };
	AUTO(fixture) struct fixture f;
	int fd[PLACES], refused;

	fixture_start(&f, NULL);
	for (unsigned i = 0; i < PLACES; i++) {
		f.uid = STRANGER + i / EACH;
		fd[i] = client_connect(&f);
		client_send_text(&f, fd[i], "{\"cmd\":\"sta");
		while (ctl_stats(f.ctl)->clients <= i)
			loop_once(f.loop);
		if ((i + 1) % EACH != 0)
			continue;
		refused = client_connect(&f);
		expect_error(&f, refused, "busy");
		expect_end(&f, refused);
		ck_assert_uint_eq(ctl_stats(f.ctl)->clients, i + 1);
	}
	f.uid = 0;
	refused = client_connect(&f);
	client_send_text(&f, refused, "{\"cmd\":\"status\"}\n");
	expect_status(&f, refused);
	(void)close(refused);
	for (unsigned i = 0; i < PLACES; i++)
		(void)close(fd[i]);
}

/* Bytes without a newline and blank lines are no requests. */
TEST(idle_clients_leave)
{
	static const char *const sent[] = {"", "{\"cmd\":\"sta", "\n\r\n"};
	AUTO(fixture) struct fixture f;
	int fd[3], asks;

	fixture_start(&f, &(struct server_limits){.idle = mono_ms(400)});
	asks = client_connect(&f);
	for (unsigned i = 0; i < 3; i++) {
		fd[i] = client_connect(&f);
		client_send_text(&f, fd[i], sent[i]);
	}
	while (ctl_stats(f.ctl)->dropped < 3) {
		client_send_text(&f, asks, "{\"cmd\":\"status\"}\n");
		expect_status(&f, asks);
	}
	for (unsigned i = 0; i < 3; i++)
		expect_end(&f, fd[i]);
	(void)close(asks);
}

/* A client that waits is not idle, but its wait ends. */
TEST(a_wait_ends)
{
	AUTO(fixture) struct fixture f;
	struct mono idle = mono_ms(100);
	struct mono until;
	int fd;

	fixture_start(&f,
		&(struct server_limits){.idle = idle, .wait = mono_ms(600)});
	fd = client_connect(&f);
	until = mono_add(loop_now(), mono_ms(600));
	client_send_text(
		&f, fd, "{\"cmd\":\"status\",\"wait_generation\":999999999}\n");
	expect_error(&f, fd, "timeout");
	ck_assert(!mono_before(loop_now(), until));
	client_send_text(&f, fd, "{\"cmd\":\"status\"}\n");
	expect_status(&f, fd); /* the connection is as good as before */
	ck_assert_uint_eq(ctl_stats(f.ctl)->dropped, 0);
	(void)close(fd);
}

TEST(sweep_and_wait)
{
	AUTO(fixture) struct fixture f;
	json_t *j;
	char c;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	j = client_ask(&f, fd, "{\"cmd\":\"sweep\"}\n");
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(j, "result"), "wait_sweep")),
		1);
	json_decref(j);
	ck_assert_uint_eq(f.asked, 1);
	client_send_text(&f, fd, "{\"cmd\":\"status\",\"wait_sweep\":1}\n");
	for (int i = 0; i < 5; i++) {
		ctl_changed(f.ctl, loop_now()); /* another change */
		loop_once(f.loop);
	}
	ck_assert_int_lt(recv(fd, &c, 1, 0), 0);
	f.sweeps = 1;
	ctl_changed(f.ctl, loop_now());
	expect_status(&f, fd);
	f.refuse = "standing by";
	client_send_text(&f, fd, "{\"cmd\":\"sweep\"}\n");
	expect_error(&f, fd, "refused");
	(void)close(fd);
}

/* Events at once, or when there is one after those that are known. */
TEST(events)
{
	AUTO(fixture) struct fixture f;
	json_t *j, *r;
	int fd;
	char c;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	f.last_event = 7;
	j = client_ask(&f, fd, "{\"cmd\":\"events\",\"since\":7}\n");
	r = json_object_get(j, "result");
	ck_assert_int_eq(json_integer_value(json_object_get(r, "last")), 7);
	json_decref(j);
	j = client_ask(
		&f, fd, "{\"cmd\":\"events\",\"since\":6,\"wait\":true}\n");
	json_decref(j);
	client_send_text(
		&f, fd, "{\"cmd\":\"events\",\"since\":7,\"wait\":true}\n");
	for (int i = 0; i < 5; i++) {
		ctl_changed(f.ctl, loop_now());
		loop_once(f.loop);
	}
	ck_assert_int_lt(recv(fd, &c, 1, 0), 0);
	f.last_event = 8;
	ctl_changed(f.ctl, loop_now());
	j = client_ask(&f, fd, "");
	r = json_object_get(j, "result");
	ck_assert_int_eq(json_integer_value(json_object_get(r, "last")), 8);
	ck_assert_int_eq(json_integer_value(json_object_get(r, "since")), 7);
	json_decref(j);
	client_send_text(&f, fd, "{\"cmd\":\"events\",\"since\":-1}\n");
	expect_error(&f, fd, "bad-argument");
	client_send_text(&f, fd, "{\"cmd\":\"events\",\"wait\":1}\n");
	expect_error(&f, fd, "bad-argument");
	/* what is waited for next is not an event */
	client_send_text(&f, fd, "{\"cmd\":\"status\",\"wait_sweep\":1}\n");
	f.sweeps = 1;
	ctl_changed(f.ctl, loop_now());
	expect_status(&f, fd);
	(void)close(fd);
}

TEST(rebalance)
{
	AUTO(fixture) struct fixture f;
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"rebalance\"}\n");
	expect_error(&f, fd, "no-view");
	give_view(&f, 4, 3);
	j = client_ask(&f, fd, "{\"cmd\":\"rebalance\"}\n");
	ck_assert_int_eq(
		json_integer_value(json_object_get(
			json_object_get(j, "result"), "wait_generation")),
		(json_int_t)f.view->generation + 1);
	json_decref(j);
	ck_assert_uint_eq(f.rebalanced, 1);
	client_send_text(&f, fd, "{\"cmd\":\"rebalance\",\"to\":1}\n");
	expect_error(&f, fd, "bad-argument");
	f.refuse = "standing by";
	client_send_text(&f, fd, "{\"cmd\":\"rebalance\"}\n");
	expect_error(&f, fd, "refused");
	(void)close(fd);
}

/* The member of a result that this key names, as text; "" if there is none. */
static const char *
result_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(
		json_object_get(json_object_get(j, "result"), key));

	return s != NULL ? s : "";
}

TEST(drains)
{
	static const char *const bad[] = {"{\"cmd\":\"drain\"}\n",
		"{\"cmd\":\"drain\",\"node\":1}\n",
		"{\"cmd\":\"drain\",\"node\":\"a\",\"for\":0}\n",
		"{\"cmd\":\"drain\",\"node\":\"a\",\"for\":-1}\n",
		"{\"cmd\":\"drain\",\"node\":\"a\",\"for\":34560001}\n",
		"{\"cmd\":\"drain\",\"node\":\"a\",\"for\":\"2h\"}\n",
		"{\"cmd\":\"drain\",\"node\":\"a\",\"back\":true}\n",
		"{\"cmd\":\"undrain\"}\n",
		"{\"cmd\":\"undrain\",\"node\":\"a\",\"force\":true}\n",
		"{\"cmd\":\"drains\",\"node\":1}\n"};
	AUTO(fixture) struct fixture f;
	char text[300];
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"drains\"}\n");
	expect_error(&f, fd, "no-view");
	give_view(&f, 4, 3);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		client_send_text(&f, fd, bad[i]);
		expect_error(&f, fd, "bad-argument");
	}
	j = client_ask(&f, fd,
		"{\"cmd\":\"drain\",\"node\":\"s1/3\",\"for\":60,"
		"\"reason\":\"fan\",\"force\":true}\n");
	ck_assert_str_eq(result_text(j, "node"), "s1/3");
	ck_assert_str_eq(result_text(j, "reason"), "fan");
	json_decref(j);
	j = client_ask(&f, fd, "{\"cmd\":\"drains\",\"node\":\"s1\"}\n");
	ck_assert_str_eq(result_text(j, "node"), "s1");
	json_decref(j);
	(void)snprintf(text, sizeof(text),
		"{\"cmd\":\"drain\",\"node\":\"a\",\"reason\":\"%0201d\"}\n",
		0);
	client_send_text(&f, fd, text);
	expect_error(&f, fd, "bad-argument");
	f.refuse = "cuts off";
	client_send_text(&f, fd, "{\"cmd\":\"undrain\",\"node\":\"s1\"}\n");
	expect_error(&f, fd, "refused");
	client_send_text(&f, fd, "{\"cmd\":\"drains\",\"node\":\"s1\"}\n");
	expect_error(&f, fd, "not-found");
	(void)close(fd);
}

TEST(handover)
{
	AUTO(fixture) struct fixture f;
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	j = client_ask(&f, fd, "{\"cmd\":\"handover\"}\n");
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(j, "result"), "priority")),
		3);
	json_decref(j);
	client_send_text(&f, fd, "{\"cmd\":\"handover\",\"to\":1}\n");
	expect_error(&f, fd, "bad-argument");
	f.refuse = "no standby";
	client_send_text(&f, fd, "{\"cmd\":\"handover\"}\n");
	expect_error(&f, fd, "refused");
	(void)close(fd);
}

TEST(record)
{
	AUTO(fixture) struct fixture f;
	json_t *j, *r;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	j = client_ask(&f, fd, "{\"cmd\":\"record\"}\n");
	r = json_object_get(j, "result");
	ck_assert_str_eq(json_string_value(json_object_get(r, "dir")), "/rec");
	ck_assert_int_eq(json_integer_value(json_object_get(r, "put")), 7);
	json_decref(j);
	client_send_text(&f, fd, "{\"cmd\":\"record\",\"what\":\"save\"}\n");
	expect_error(&f, fd, "bad-argument");
	(void)close(fd);
}

TEST(waiting_client_leaves)
{
	AUTO(fixture) struct fixture f;
	int fd;

	fixture_start(&f, NULL);
	fd = client_connect(&f);
	client_send_text(
		&f, fd, "{\"cmd\":\"status\",\"wait_generation\":9}\n");
	while (ctl_stats(f.ctl)->clients == 0)
		loop_once(f.loop);
	(void)close(fd);
	while (ctl_stats(f.ctl)->clients > 0)
		loop_once(f.loop);
	ck_assert_uint_eq(ctl_stats(f.ctl)->dropped, 0);
}

/* Larger than all buffers in between; the view changes meanwhile. */
TEST(large_reply_slow_reader)
{
	AUTO(fixture) struct fixture f;
	const json_t *nodes, *hostile;
	struct view *old;
	json_t *j;
	int fd;

	fixture_start(&f, &(struct server_limits){.slice = 1000});
	give_view(&f, 40, 30);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"topology\"}\n");
	for (int i = 0; i < 10; i++)
		loop_once(f.loop);
	old = f.view;
	ck_assert_uint_eq(old->refs, 2);
	f.view = NULL;
	j = client_receive(&f, fd);
	f.view = old;
	nodes = json_object_get(json_object_get(j, "result"), "nodes");
	ck_assert_uint_eq(json_array_size(nodes), 40 + 40 * 30);
	hostile = json_array_get(nodes, 40 + 1);
	ck_assert_str_eq(json_string_value(json_object_get(hostile, "name")),
		"?[2J\"\\??");
	json_decref(j);
	(void)close(fd);
}

/* Switches in a line, hosts on each: read as a tree, whatever the result. */
TEST(tree)
{
	AUTO(fixture) struct fixture f;
	struct route_job job;
	struct arena *a = arena_new();
	const json_t *r, *e;
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	give_view(&f, 3, 4);
	fd = client_connect(&f);
	client_send_text(&f, fd, "{\"cmd\":\"tree\"}\n");
	expect_error(&f, fd, "no-view"); /* routes without a tree */
	job = (struct route_job){.topo = f.view->topo};
	tree_keep(tree_read(&job, a), f.view->routes);
	arena_free(a);
	client_send_text(&f, fd, "{\"cmd\":\"tree\"}\n");
	j = client_receive(&f, fd);
	r = json_object_get(j, "result");
	ck_assert_uint_eq(json_array_size(json_object_get(r, "tiers")), 2);
	e = json_array_get(json_object_get(r, "list"), 0);
	ck_assert_str_eq(
		json_string_value(json_object_get(e, "what")), "root-hosts");
	ck_assert_int_eq(
		json_integer_value(json_object_get(
			json_object_get(r, "irregular"), "root-hosts")),
		1);
	json_decref(j);
	client_send_text(&f, fd, "{\"cmd\":\"tree\",\"list\":\"switches\"}\n");
	j = client_receive(&f, fd);
	r = json_object_get(json_object_get(j, "result"), "list");
	ck_assert_uint_eq(json_array_size(r), 3);
	e = json_array_get(r, 1);
	ck_assert_int_eq(json_integer_value(json_object_get(e, "tier")), 0);
	json_decref(j);
	client_send_text(&f, fd, "{\"cmd\":\"tree\",\"list\":\"all\"}\n");
	expect_error(&f, fd, "bad-argument");
	(void)close(fd);
}

TEST(reader_that_stops)
{
	AUTO(fixture) struct fixture f;
	int fd, other;

	fixture_start(&f, &(struct server_limits){.stall = mono_ms(300)});
	give_view(&f, 40, 30);
	fd = client_connect(&f);
	for (int i = 0; i < 50; i++)
		client_send_text(&f, fd, "{\"cmd\":\"topology\"}\n");
	other = client_connect(&f);
	client_send_text(&f, other, "{\"cmd\":\"status\"}\n");
	expect_status(&f, other); /* other clients do not wait for it */
	while (ctl_stats(f.ctl)->dropped == 0)
		loop_once(f.loop);
	ck_assert_uint_eq(f.view->refs, 1);
	client_send_text(&f, other, "{\"cmd\":\"status\"}\n");
	expect_status(&f, other);
	(void)close(fd);
	(void)close(other);
}
