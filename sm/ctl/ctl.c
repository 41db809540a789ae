#include "sm/ctl/ctl.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/report/answer.h"
#include "sm/report/change_json.h"
#include "sm/report/counters_json.h"
#include "sm/report/names.h"
#include "sm/report/partition_explain.h"
#include "sm/report/path_json.h"
#include "sm/report/routes_json.h"
#include "sm/report/snapshot_json.h"
#include "sm/report/topology_json.h"
#include "sm/report/tree_json.h"
#include "sm/view/drains.h"

enum { SHOWN = 40 };

struct ctl {
	struct ctl_ops ops;
	struct server *server;
};

/* Who asks, and what for. */
struct client {
	struct ctl *ctl;
	uid_t uid;
	struct server_wait *wait;
};

/* ---- requests ---- */

/* The answer that was waited for. */
static struct answer *
answer_waiting(const struct ctl *c, const struct server_wait *w)
{
	const struct ctl_ops *ops = &c->ops;

	return answer_result(w->follows ? ops->events(ops->cookie, w->since)
					: ops->status(ops->cookie));
}

/* True if the generation and sweep, or the event, that is waited for are
 * reached. */
static bool
has_reached(const struct ctl *c, const struct server_wait *w)
{
	const struct ctl_ops *ops = &c->ops;
	const struct view *v = ops->view(ops->cookie);

	if (w->follows)
		return ops->last_event(ops->cookie) > w->since;
	return (v != NULL ? v->generation : 0) >= w->generation &&
	       ops->sweeps(ops->cookie) >= w->sweep;
}

/* Answer at once if what k waits for is reached, else later. */
static struct answer *
wait_for(const struct client *k)
{
	if (has_reached(k->ctl, k->wait))
		return answer_waiting(k->ctl, k->wait);
	k->wait->waiting = true;
	return NULL;
}

static struct answer *
command_status(struct client *k, json_t *request)
{
	json_int_t generation = 0, sweep = 0;
	const char *cmd;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?I, s?I !}", "cmd", &cmd,
		    "wait_generation", &generation, "wait_sweep", &sweep) != 0)
		return answer_error("bad-argument", err.text);
	if (generation < 0 || sweep < 0)
		return answer_error(
			"bad-argument", "cannot wait for a negative number");
	k->wait->follows = false;
	k->wait->generation = (uint64_t)generation;
	k->wait->sweep = (uint64_t)sweep;
	return wait_for(k);
}

static struct answer *
command_sweep(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct view *v;
	uint64_t sweep = 0;
	const char *cmd;
	struct reason why;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s !}", "cmd", &cmd) != 0)
		return answer_error("bad-argument", err.text);
	if (ops->sweep(ops->cookie, k->uid, &sweep, &why) != 0)
		return answer_error("refused", why.text);
	v = ops->view(ops->cookie);
	return answer_result(json_pack("{s:I, s:I}", "wait_sweep",
		(json_int_t)sweep, "wait_generation",
		(json_int_t)(v != NULL ? v->generation : 0) + 1));
}

/* The next view will have the fresh tables. */
static struct answer *
command_rebalance(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct view *v;
	const char *cmd;
	struct reason why;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s !}", "cmd", &cmd) != 0)
		return answer_error("bad-argument", err.text);
	v = ops->view(ops->cookie);
	if (ops->rebalance(ops->cookie, k->uid, &why) != 0)
		return answer_error("refused", why.text);
	return answer_result(json_pack(
		"{s:I}", "wait_generation", (json_int_t)v->generation + 1));
}

static struct answer *
command_handover(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	struct sm_other to;
	const char *cmd;
	struct reason why;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s !}", "cmd", &cmd) != 0)
		return answer_error("bad-argument", err.text);
	if (ops->hand_over(ops->cookie, k->uid, &to, &why) != 0)
		return answer_error("refused", why.text);
	return answer_result(json_pack("{s:o, s:o, s:i}", "guid",
		names_guid(to.guid), "name", names_text(to.name), "priority",
		(int)to.priority));
}

static struct answer *
command_topology(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct links_facts f = ops->link_facts(ops->cookie);

	return topology_answer(request, ops->view(ops->cookie), &f);
}

static struct answer *
command_routes(struct client *k, json_t *request)
{
	return routes_answer(request, k->ctl->ops.view(k->ctl->ops.cookie));
}

static struct answer *
command_path(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct links_facts f = ops->link_facts(ops->cookie);

	return path_answer(request, ops->view(ops->cookie), &f);
}

static struct answer *
command_counters(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct links_facts f = ops->link_facts(ops->cookie);

	return counters_answer(request, &f);
}

static struct answer *
command_explain(struct client *k, json_t *request)
{
	const char *what = json_string_value(json_object_get(request, "what"));

	if (what != NULL && strcmp(what, "partitions") == 0)
		return partition_explain(
			request, k->ctl->ops.view(k->ctl->ops.cookie));
	return change_answer(request, k->ctl->ops.view(k->ctl->ops.cookie));
}

static struct answer *
command_tree(struct client *k, json_t *request)
{
	return tree_answer(request, k->ctl->ops.view(k->ctl->ops.cookie));
}

static struct answer *
command_groups(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd, *which = NULL;
	struct reason why;
	json_error_t err;
	json_t *r;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s !}", "cmd", &cmd,
		    "group", &which) != 0)
		return answer_error("bad-argument", err.text);
	if (ops->view(ops->cookie)->read_only)
		return answer_error("refused",
			"standing by: groups are known to the master alone");
	r = ops->groups(ops->cookie, which, &why);
	return r != NULL ? answer_result(r)
			 : answer_error("not-found", why.text);
}

static struct answer *
command_events(struct client *k, json_t *request)
{
	json_int_t since = 0;
	const char *cmd;
	json_error_t err;
	int wait = 0;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?I, s?b !}", "cmd", &cmd,
		    "since", &since, "wait", &wait) != 0)
		return answer_error("bad-argument", err.text);
	if (since < 0)
		return answer_error(
			"bad-argument", "events have no negative numbers");
	k->wait->follows = true;
	k->wait->since = (uint64_t)since;
	return wait == 0 ? answer_waiting(k->ctl, k->wait) : wait_for(k);
}

/* What a request wants to be done with what it lists: nothing, or "accept".
 * NULL: *accept is set; else an error. */
static struct answer *
read_accept(const char *what, bool *accept)
{
	*accept = what != NULL;
	return what == NULL || strcmp(what, "accept") == 0
		       ? NULL
		       : answer_error("bad-argument",
				 "expected nothing more, or \"accept\"");
}

static struct answer *
command_links(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	int bad = 0, slow = 0, errors = 0;
	const char *cmd, *what = NULL;
	struct links_ask ask;
	struct answer *wrong;
	bool accept = false;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s, s?b, s?b, s?b !}",
		    "cmd", &cmd, "what", &what, "bad", &bad, "slow", &slow,
		    "errors", &errors) != 0)
		return answer_error("bad-argument", err.text);
	wrong = read_accept(what, &accept);
	if (wrong != NULL)
		return wrong;
	ask = (struct links_ask){bad != 0, slow != 0, errors != 0};
	return answer_result(ops->links(ops->cookie, k->uid, &ask, accept));
}

static struct answer *
command_config(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd, *what;
	json_error_t err;
	int origin = 0;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s?b !}", "cmd", &cmd,
		    "what", &what, "origin", &origin) != 0)
		return answer_error("bad-argument", err.text);
	if (strcmp(what, "show") != 0)
		return answer_error("bad-argument", "expected \"show\"");
	return answer_result(ops->config(ops->cookie, origin != 0));
}

static struct answer *
command_partitions(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd, *what = NULL;
	struct answer *wrong;
	bool accept = false;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s !}", "cmd", &cmd,
		    "what", &what) != 0)
		return answer_error("bad-argument", err.text);
	wrong = read_accept(what, &accept);
	return wrong != NULL
		       ? wrong
		       : answer_result(ops->names(ops->cookie, k->uid, accept));
}

enum { DRAIN_SECONDS_MAX = 400 * 86400 };

static struct answer *
command_drain(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	struct ctl_drain ask = {0};
	json_int_t seconds = 0;
	const char *cmd;
	struct reason why;
	json_error_t err;
	int force = 0;
	json_t *r;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s?I, s?s, s?b !}",
		    "cmd", &cmd, "node", &ask.node, "for", &seconds, "reason",
		    &ask.reason, "force", &force) != 0)
		return answer_error("bad-argument", err.text);
	if (json_object_get(request, "for") != NULL &&
		(seconds <= 0 || seconds > DRAIN_SECONDS_MAX))
		return answer_error("bad-argument",
			"a drain lasts from 1 to 34560000 seconds, or has no "
			"end");
	if (ask.reason != NULL && strlen(ask.reason) >= DRAIN_REASON)
		return answer_error(
			"bad-argument", "a reason has at most 200 bytes");
	ask.seconds = (uint64_t)seconds;
	ask.force = force != 0;
	r = ops->drain(ops->cookie, k->uid, &ask, &why);
	return r != NULL ? answer_result(r) : answer_error("refused", why.text);
}

static struct answer *
command_undrain(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	struct ctl_drain ask = {.back = true};
	const char *cmd;
	struct reason why;
	json_error_t err;
	json_t *r;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s !}", "cmd", &cmd,
		    "node", &ask.node) != 0)
		return answer_error("bad-argument", err.text);
	r = ops->drain(ops->cookie, k->uid, &ask, &why);
	return r != NULL ? answer_result(r) : answer_error("refused", why.text);
}

static struct answer *
command_drains(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd, *node = NULL;
	struct reason why;
	json_error_t err;
	json_t *r;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s !}", "cmd", &cmd,
		    "node", &node) != 0)
		return answer_error("bad-argument", err.text);
	r = ops->drains(ops->cookie, node, &why);
	return r != NULL ? answer_result(r)
			 : answer_error("not-found", why.text);
}

static struct answer *
command_verify(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd;
	struct reason why;
	json_error_t err;
	json_t *r;

	if (json_unpack_ex(request, &err, 0, "{s:s !}", "cmd", &cmd) != 0)
		return answer_error("bad-argument", err.text);
	r = ops->verify(ops->cookie, &why);
	return r != NULL ? answer_result(r) : answer_error("no-plan", why.text);
}

static struct answer *
command_snapshot(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd;
	json_error_t err;
	int tables = 1;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?b !}", "cmd", &cmd,
		    "tables", &tables) != 0)
		return answer_error("bad-argument", err.text);
	return snapshot_answer(ops->memory(ops->cookie, tables != 0),
		ops->view(ops->cookie), tables != 0);
}

static struct answer *
command_record(struct client *k, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const char *cmd;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s !}", "cmd", &cmd) != 0)
		return answer_error("bad-argument", err.text);
	return answer_result(ops->record(ops->cookie));
}

static const struct command {
	const char *name;
	bool view; /* needs a view */
	/* NULL: the client waits, its answer follows later */
	struct answer *(*run)(struct client *k, json_t *request);
} commands[] = {
	{"status", false, command_status},
	{"topology", true, command_topology},
	{"tree", true, command_tree},
	{"routes", true, command_routes},
	{"path", true, command_path},
	{"groups", true, command_groups},
	{"events", false, command_events},
	{"links", true, command_links},
	{"counters", true, command_counters},
	{"verify", false, command_verify},
	{"partitions", true, command_partitions},
	{"drain", true, command_drain},
	{"undrain", true, command_undrain},
	{"drains", true, command_drains},
	{"config", false, command_config},
	{"explain", true, command_explain},
	{"snapshot", true, command_snapshot},
	{"sweep", false, command_sweep},
	{"rebalance", true, command_rebalance},
	{"handover", false, command_handover},
	{"record", false, command_record},
};

static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static struct answer *
answer_unknown(const char *name)
{
	struct answer *a;
	struct buf b = {0};

	buf_printf(&b, "unknown command '%.*s'; known commands:", SHOWN, name);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		buf_printf(&b, "%s %s", i > 0 ? "," : "", commands[i].name);
	a = answer_error("unknown-command", b.text);
	buf_free(&b);
	return a;
}

static struct answer *
run_command(struct client *k, const char *name, json_t *request)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct command *cmd = find_command(name);

	if (cmd == NULL)
		return answer_unknown(name);
	if (cmd->view && ops->view(ops->cookie) == NULL)
		return answer_error("no-view",
			"the fabric is not up yet: see heddlectl status");
	return cmd->run(k, request);
}

/* ---- the server ---- */

static struct answer *
answer_request(void *cookie, uid_t uid, const char *cmd, json_t *request,
	struct server_wait *wait)
{
	struct client k = {cookie, uid, wait};

	return run_command(&k, cmd, request);
}

static struct answer *
answer_awaited(void *cookie, const struct server_wait *wait)
{
	struct ctl *c = cookie;

	return has_reached(c, wait) ? answer_waiting(c, wait) : NULL;
}

static bool
may_release(void *cookie)
{
	const struct ctl *c = cookie;

	return c->ops.may_release(c->ops.cookie);
}

static uid_t
peer_uid(void *cookie, int fd)
{
	const struct ctl *c = cookie;

	return c->ops.peer_uid(c->ops.cookie, fd);
}

struct ctl *
ctl_open(struct loop *l, const char *path, const struct ctl_ops *ops,
	const struct server_limits *limits, struct reason *why)
{
	struct ctl *c = mem_zalloc(1, sizeof(*c));
	const struct server_handler handler = {
		.cookie = c,
		.run = answer_request,
		.awaited = answer_awaited,
		.may_release = may_release,
		.peer_uid = ops->peer_uid != NULL ? peer_uid : NULL,
	};

	c->ops = *ops;
	c->server = server_open(l, path, &handler, limits, why);
	if (c->server != NULL)
		return c;
	free(c);
	return NULL;
}

void
ctl_close(struct ctl *c)
{
	if (c == NULL)
		return;
	server_close(c->server);
	free(c);
}

void
ctl_changed(struct ctl *c, struct mono now)
{
	(void)now;
	server_wake(c->server);
}

const struct server_stats *
ctl_stats(const struct ctl *c)
{
	return server_stats(c->server);
}
