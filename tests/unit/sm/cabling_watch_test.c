/* The plan of a fabric, watched: which events follow which views. */
#include <stdlib.h>
#include <string.h>

#include "sm/cabling/cabling_read.h"
#include "sm/cabling_watch.h"
#include "sm/report/json_util.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { HOSTS = 40 }; /* at one leaf */

/* A watch, and what it has told: a line each. */
struct bed {
	struct loop *loop;
	struct cabling_watch *w;
	struct fabric *f;
	struct drains drains;
	struct buf told;
	struct view view;
};

static uint64_t
on_event(void *cookie, const struct event *e)
{
	struct bed *b = cookie;

	buf_printf(&b->told, "%s ", event_kind_row(e->kind)->name);
	event_print(e, &b->told);
	buf_printf(&b->told, "\n");
	return 1;
}

static void
begin_bed(struct bed *b)
{
	struct reason why;

	*b = (struct bed){
		.loop = loop_new(), .f = shape_of("two:2:2:%u", HOSTS)};
	b->w = cabling_watch_new(b->loop, on_event, b, &why);
	ck_assert_ptr_nonnull(b->w);
}

static void
end_bed(struct bed *b)
{
	cabling_watch_free(b->w);
	loop_free(b->loop);
	fabric_free(b->f);
	buf_free(&b->told);
}
AUTO_VALUE(bed, struct bed, end_bed)

/* The fabric as it is, as a plan. */
static struct cabling *
plan_of(const struct fabric *f)
{
	AUTO(topo) struct topo *t = frozen_topo(f, &(struct frozen_lids){0});
	struct cabling *c = cabling_of_topo(t, "plan");

	return c;
}

static void
show_view(struct bed *b)
{
	b->view = (struct view){
		.topo = frozen_topo(b->f, &(struct frozen_lids){0}),
		.generation = b->view.generation + 1};
	cabling_watch_view(b->w, &b->view, &b->drains);
	topo_unref(b->view.topo);
}

/* The comparison with the last view is over, and said this. */
static void
must_tell(struct bed *b, const char *text)
{
	while (cabling_watch_status(b->w).generation != b->view.generation)
		loop_once(b->loop);
	buf_put(&b->told, "", 0);
	ck_assert_str_eq(b->told.text, text);
	buf_free(&b->told);
}

TEST(begins_and_ends)
{
	AUTO(bed) struct bed b;

	begin_bed(&b);
	cabling_watch_set(b.w, plan_of(b.f));
	ck_assert(!cabling_watch_status(b.w).found);
	show_view(&b);
	must_tell(&b, "cabling cabling: as planned, by plan\n");
	show_view(&b);
	must_tell(&b, "");
	fabric_swap(b.f, fabric_find(b.f, "h1"), 1, fabric_find(b.f, "h2"), 1);
	show_view(&b);
	must_tell(&b, "deviation cabling: swapped \"leaf1\" port 1 and "
		      "\"leaf1\" port 2: planned to lead to \"h1\" port 1 and "
		      "\"h2\" port 1\n");
	ck_assert_uint_eq(cabling_watch_status(b.w).found->n, 1);
	/* it is told once */
	show_view(&b);
	must_tell(&b, "");
	fabric_swap(b.f, fabric_find(b.f, "h1"), 1, fabric_find(b.f, "h2"), 1);
	show_view(&b);
	while (b.told.n == 0)
		loop_once(b.loop);
	ck_assert_ptr_nonnull(strstr(b.told.text,
		"deviation-over cabling: over: swapped \"leaf1\" port 1 "));
	ck_assert_uint_eq(cabling_watch_status(b.w).found->n, 0);
}

/* The other end of a link is drained, and so is what differs of it. */
TEST(what_is_drained)
{
	struct drain d = {.port = 1};
	AUTO(bed) struct bed b;

	begin_bed(&b);
	d.guid = b.f->node[fabric_find(b.f, "leaf1")].guid;
	b.drains = (struct drains){.list = &d, .n = 1};
	cabling_watch_set(b.w, plan_of(b.f));
	show_view(&b);
	must_tell(&b, "cabling cabling: as planned, by plan\n");
	fabric_swap(b.f, fabric_find(b.f, "h1"), 1, fabric_find(b.f, "h2"), 1);
	show_view(&b);
	must_tell(&b, "deviation cabling: swapped \"leaf1\" port 1 and "
		      "\"leaf1\" port 2: planned to lead to \"h1\" port 1 and "
		      "\"h2\" port 1; drained\n");
	b.drains.n = 0;
	ck_assert_uint_eq(cabling_watch_status(b.w).found->drained, 0);
}

/* As many at once as would fill the log. */
TEST(many_at_once)
{
	AUTO(bed) struct bed b;
	size_t lines = 0;

	begin_bed(&b);
	cabling_watch_set(b.w, plan_of(b.f));
	show_view(&b);
	must_tell(&b, "cabling cabling: as planned, by plan\n");
	for (unsigned i = 1; i < HOSTS; i += 2) {
		uint32_t leaf = fabric_find(b.f, "leaf1");

		fabric_swap(b.f, leaf, i, leaf, i + 1);
	}
	show_view(&b);
	while (cabling_watch_status(b.w).generation != b.view.generation)
		loop_once(b.loop);
	for (size_t i = 0; i < b.told.n; i++)
		lines += b.told.text[i] == '\n';
	ck_assert_uint_eq(lines, 16 + 1);
	ck_assert_ptr_nonnull(strstr(b.told.text,
		"\ncabling cabling: 20 deviations: 20 swapped, by plan; 4 of "
		"them are not told one by one\n"));
}

/* A plan by names is not compared while names are to be read. */
TEST(names_to_come)
{
	static const char ndt[] = "StartDevice,StartPort,EndDevice,EndPort\n"
				  "leaf1,1,h1,1\nleaf1,2,h2,1\nleaf2,1,h41,1\n";
	struct reason why = {""};
	const char *name;
	uint32_t h1;
	AUTO(bed) struct bed b;

	begin_bed(&b);
	h1 = fabric_find(b.f, "h1");
	name = b.f->node[h1].name;
	cabling_watch_set(
		b.w, cabling_read(ndt, sizeof(ndt) - 1, "plan", &why));
	b.f->node[h1].name = "";
	show_view(&b);
	loop_once(b.loop); /* it was compared */
	ck_assert_ptr_null(cabling_watch_status(b.w).found);
	ck_assert_uint_eq(b.told.n, 0);
	b.f->node[h1].name = name;
	show_view(&b);
	while (b.told.n == 0)
		loop_once(b.loop);
	ck_assert_ptr_nonnull(cabling_watch_status(b.w).found);
	ck_assert_uint_eq(
		cabling_watch_status(b.w).found->count[DEVIATION_MISSING_NODE],
		0);
}

TEST(another_fabric)
{
	AUTO(bed) struct bed b;
	struct reason why = {""};
	struct cabling *plan;
	json_t *j;

	begin_bed(&b);
	ck_assert_ptr_null(cabling_watch_json(b.w, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "fabric.expected is not set"));
	plan = plan_of(b.f);
	for (size_t i = 0; i < plan->nnodes; i++) {
		plan->node[i].guid += UINT64_C(1) << 32;
		plan->node[i].name = "";
	}
	cabling_watch_set(b.w, plan);
	show_view(&b);
	while (b.told.n == 0)
		loop_once(b.loop);
	ck_assert_str_eq(b.told.text,
		"alarm-on alarm: on cabling: plan: this is the plan of another "
		"fabric: of its 84 nodes, 0 are among the 84 of this one, by "
		"GUID or name\n");
	ck_assert_ptr_null(cabling_watch_json(b.w, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "of another fabric"));
	ck_assert_str_ne(cabling_watch_status(b.w).unused, "");
	/* while the first comparison with it runs, there is another plan */
	cabling_watch_set(b.w, plan_of(b.f));
	cabling_watch_set(b.w, plan_of(b.f));
	while ((j = cabling_watch_json(b.w, &why)) == NULL)
		loop_once(b.loop);
	ck_assert(json_util_yes(j, "as_planned"));
	json_decref(j);
	ck_assert_ptr_nonnull(strstr(b.told.text, "alarm-off"));
	cabling_watch_set(b.w, NULL);
	ck_assert(!cabling_watch_status(b.w).wanted);
}
