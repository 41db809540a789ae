/* Events get numbers that go on over a restart; the last ones are kept. */
#include <stdio.h>
#include <string.h>

#include "sm/event_store.h"
#include "sm/report/json_util.h"
#include "tests/unit/scratch.h"

static void
on_told(void *cookie, const char *why, uint64_t lost)
{
	(void)cookie;
	(void)lost;
	ck_abort_msg("%s", why != NULL ? why : "well");
}

static struct event_store *
open_store(struct loop *l, uint64_t most, uint64_t after, struct reason *why)
{
	struct event_store *s = event_store_new(l,
		&(struct event_store_job){.dir = scratch_dir,
			.most = most,
			.after = after,
			.told = on_told},
		why);

	ck_assert_ptr_nonnull(s);
	return s;
}

static uint64_t
add_released(struct event_store *s, const char *name, double time)
{
	struct event_end node = {.guid = 0xa1};
	struct event e = {.kind = EVENT_RELEASED};

	(void)snprintf(node.name, sizeof(node.name), "%s", name);
	event_end(&e, "node", &node);
	return event_store_add(s, &e, time);
}

/* The events above a number: how many, and the first of them. */
static size_t
count_after(const struct event_store *s, uint64_t since, uint64_t first)
{
	json_t *o = event_store_json(s, since, 2e9),
	       *list = json_object_get(o, "events");
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(json_util_num(json_array_get(list, i), "seq"),
			(long long)(first + i));
	json_decref(o);
	return n;
}

TEST(an_event_as_json)
{
	static const char want[] =
		"{\"seq\":1,\"time\":\"2025-11-21T10:48:31.123456Z\",\"kind\":"
		"\"released\","
		"\"severity\":\"info\",\"text\":\"node: left quarantine "
		"\\\"s1?\\\" (0x00000000000000a1)\",\"ends\":[{\"guid\":"
		"\"0x00000000000000a1\",\"name\":\"s1?\",\"port\":0,\"is\":"
		"\"node\"}],\"fields\":{},\"age\":4.0}";
	AUTO(loop) struct loop *l = loop_new();
	struct reason why;
	struct event_store *s = open_store(l, 0, 0, &why);
	AUTO(json) json_t *o = NULL;
	AUTO(mem) char *text = NULL;

	ck_assert_uint_eq(add_released(s, "s1\a", 1763722111.123456), 1);
	o = event_store_json(s, 0, 1763722115.123456);
	ck_assert_str_eq(json_util_text(o, "file"), "");
	text = json_dumps(json_array_get(json_object_get(o, "events"), 0),
		JSON_COMPACT | JSON_REAL_PRECISION(6));
	ck_assert_str_eq(text, want);
	event_store_free(s);
}

TEST(numbers_go_on)
{
	enum { MORE = EVENT_STORE_KEPT + 88 };
	AUTO(loop) struct loop *l = loop_new();
	struct reason why;
	struct event_store *s = open_store(l, 1 << 20, 0, &why);

	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(count_after(s, 0, 1), 0);
	for (unsigned i = 1; i <= MORE; i++)
		ck_assert_uint_eq(add_released(s, "s", 1.76e9 + i), i);
	ck_assert_uint_eq(count_after(s, 0, 89), EVENT_STORE_KEPT);
	ck_assert_uint_eq(count_after(s, MORE - 2, MORE - 1), 2);
	ck_assert_uint_eq(count_after(s, MORE, 0), 0);
	ck_assert_uint_eq(count_after(s, UINT64_MAX / 2, 0), 0);
	event_store_free(s);
	/* a restart */
	s = open_store(l, 1 << 20, 0, &why);
	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(count_after(s, 0, 89), EVENT_STORE_KEPT);
	ck_assert_uint_eq(add_released(s, "s", 1.77e9), MORE + 1);
	event_store_free(s);
	/* what was told was not written */
	s = open_store(l, 1 << 20, MORE + 10, &why);
	ck_assert_uint_eq(add_released(s, "s", 1.77e9), MORE + 11);
	event_store_free(s);
}

TEST(a_file_of_another_kind)
{
	AUTO(loop) struct loop *l = loop_new();
	struct event_store *s;
	struct reason why;
	char path[96];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/events", scratch_dir);
	f = fopen(path, "w");
	(void)fprintf(f, "heddle-events 2\n");
	(void)fclose(f);
	s = open_store(l, 1 << 20, 0, &why);
	ck_assert_ptr_nonnull(strstr(why.text, "version 2 is not supported"));
	ck_assert_uint_eq(add_released(s, "s", 1.76e9), 1);
	event_store_free(s);
	s = open_store(l, 1 << 20, 0, &why);
	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(count_after(s, 0, 1), 1);
	event_store_free(s);
	f = fopen(path, "a");
	(void)fprintf(f, "{\"seq\":2,");
	(void)fclose(f);
	s = open_store(l, 1 << 20, 0, &why);
	ck_assert_ptr_nonnull(strstr(why.text, "the last line was cut"));
	event_store_free(s);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
