/* Answers from views: while routes are computed, about routes, about
 * topologies. */
#include "tests/unit/sm/ctl/ctl_fixture.h"
#include "tests/unit/suite.h"

/* Routes are being computed: requests are answered, views are kept. */
TEST(while_routes_are_computed)
{
	static const char *const question[] = {
		"{\"cmd\":\"routes\",\"to\":\"h5\"}\n",
		"{\"cmd\":\"routes\",\"from\":\"h4\",\"to\":\"h5\"}\n",
		"{\"cmd\":\"topology\"}\n"};
	AUTO(fixture) struct fixture f;
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	give_view(&f, 3, 2);
	f.busy = true;
	fd = client_connect(&f);
	for (unsigned i = 0; i < 3; i++) {
		j = client_ask(&f, fd, question[i]);
		ck_assert(json_is_true(json_object_get(j, "ok")));
		json_decref(j);
	}
	ctl_changed(f.ctl, loop_now());
	loop_once(f.loop);
	ck_assert_uint_eq(f.view->refs, 3); /* by the two long answers */
	f.busy = false;
	ctl_changed(f.ctl, loop_now());
	loop_once(f.loop);
	ck_assert_uint_eq(f.view->refs, 1);
	(void)close(fd);
}

static long long
integer_at(const json_t *list, size_t i, const char *key)
{
	return json_integer_value(
		json_object_get(json_array_get(list, i), key));
}

TEST(routes_of_a_line)
{
	AUTO(fixture) struct fixture f;
	const json_t *r, *list;
	json_t *j;
	int fd;

	fixture_start(&f, NULL);
	give_view(&f, 3, 2);
	fd = client_connect(&f);

	j = client_ask(&f, fd,
		"{\"cmd\":\"routes\",\"from\":\"0x1031\",\"to\":\"h5\"}\n");
	list = json_object_get(json_object_get(j, "result"), "steps");
	ck_assert_uint_eq(json_array_size(list), 3);
	ck_assert_int_eq(integer_at(list, 0, "in"), 1);
	ck_assert_int_eq(integer_at(list, 0, "out"), 4);
	ck_assert_int_eq(integer_at(list, 2, "in"), 3);
	ck_assert_int_eq(integer_at(list, 2, "out"), 2);
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(list, 0), "direction")),
		"down");
	json_decref(j);

	/* h5 by its LID: hosts have 1..6 */
	j = client_ask(&f, fd, "{\"cmd\":\"routes\",\"to\":\"6\"}\n");
	r = json_object_get(j, "result");
	list = json_object_get(r, "entries");
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_object_get(r, "to"), "name")),
		"h5");
	ck_assert_uint_eq(json_array_size(list), 3);
	ck_assert_int_eq(integer_at(list, 0, "out"), 4);
	ck_assert_int_eq(integer_at(list, 2, "out"), 2);
	json_decref(j);

	/* S1 by its GUID */
	j = client_ask(&f, fd, "{\"cmd\":\"routes\",\"switch\":\"0x1010\"}\n");
	list = json_object_get(json_object_get(j, "result"), "entries");
	ck_assert_uint_eq(json_array_size(list), 9);
	ck_assert_int_eq(integer_at(list, 0, "out"), 3);
	ck_assert_int_eq(integer_at(list, 2, "out"), 1);
	ck_assert_int_eq(integer_at(list, 5, "out"), 4);
	ck_assert_int_eq(integer_at(list, 7, "out"), 0);
	json_decref(j);

	j = client_ask(&f, fd, "{\"cmd\":\"routes\"}\n");
	r = json_object_get(j, "result");
	ck_assert_uint_eq(json_array_size(json_object_get(r, "ranks")), 3);
	json_decref(j);
	(void)close(fd);
}

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

TEST(routes_to_nowhere)
{
	AUTO(fixture) struct fixture f;
	char line[128];
	int fd;

	fixture_start(&f, NULL);
	give_view(&f, 3, 2);
	fd = client_connect(&f);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		(void)snprintf(line, sizeof(line), "{\"cmd\":\"routes\",%s}\n",
			lost[i].text);
		client_send_text(&f, fd, line);
		expect_error(&f, fd, lost[i].code);
	}
	client_send_text(&f, fd, "{\"cmd\":\"topology\",\"format\":\"gif\"}\n");
	expect_error(&f, fd, "bad-argument");
	(void)close(fd);
}

TEST(topology_as_text)
{
	AUTO(fixture) struct fixture f;
	const char *text;
	json_t *j;
	int fd;

	fixture_start(&f, &(struct server_limits){.slice = 100});
	give_view(&f, 3, 2);
	fd = client_connect(&f);
	j = client_ask(&f, fd,
		"{\"cmd\":\"topology\",\"format\":\"ibnetdiscover\"}\n");
	text = json_string_value(
		json_object_get(json_object_get(j, "result"), "text"));
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, "Switch\t"));
	ck_assert_ptr_nonnull(strstr(text, "\"S2\""));
	json_decref(j);
	(void)close(fd);
}
