#include "sm/ctl/ctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/file.h"
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

enum { READ_CHUNK = 16 * 1024, BACKLOG = 16, SHOWN = 40 };

struct client {
	struct ctl *ctl;
	struct client *prev, *next;
	int fd;
	uid_t uid;
	struct loop_fd *watch;
	struct buf in;
	struct buf out;
	struct answer *answer; /* being produced */
	bool eof;	       /* the client has closed its sending side */
	bool last;	       /* close when everything is written */
	bool waiting; /* for generation and sweep below, to answer with the
			 status; or, if follows, for an event after since */
	uint64_t generation, sweep, since;
	bool follows;
	struct mono progress; /* when something was last written */
	struct mono asked;    /* when it connected or last sent a whole line */
};

struct ctl {
	struct loop *loop;
	char *path;
	struct stat id; /* identity of the socket file */
	int fd;
	struct loop_fd *watch;
	struct loop_timer *stalls;
	bool ticking; /* the timer stalls is set */
	struct loop_wake *again;
	struct ctl_ops ops;
	struct ctl_limits limits;
	struct ctl_stats stats;
	struct client *clients;
	struct view **shed; /* to be released when the pool is free */
	size_t nshed, capshed;
};

/* ---- connecting and disconnecting ---- */

static void
release_later(struct ctl *c, struct view *v)
{
	if (v == NULL)
		return;
	c->shed = mem_grow(c->shed, c->nshed, &c->capshed, sizeof(*c->shed));
	c->shed[c->nshed++] = v;
}

static void
shed_views(struct ctl *c)
{
	while (c->nshed > 0 && c->ops.may_release(c->ops.cookie))
		view_unref(c->shed[--c->nshed]);
}

static void
client_free(struct client *k)
{
	struct ctl *c = k->ctl;

	if (k->prev != NULL)
		k->prev->next = k->next;
	else
		c->clients = k->next;
	if (k->next != NULL)
		k->next->prev = k->prev;
	c->stats.clients--;
	release_later(c, answer_free(k->answer));
	loop_fd_free(k->watch);
	(void)close(k->fd);
	buf_free(&k->in);
	buf_free(&k->out);
	free(k);
	loop_fd_set(c->watch, LOOP_READ);
}

/* ---- requests ---- */

static struct answer *
status_now(struct ctl *c)
{
	return answer_result(c->ops.status(c->ops.cookie));
}

/* The answer that the client has waited for. */
static struct answer *
answer_waiting(const struct client *k)
{
	const struct ctl_ops *ops = &k->ctl->ops;

	return k->follows ? answer_result(ops->events(ops->cookie, k->since))
			  : status_now(k->ctl);
}

/* True if the generation and sweep, or the event, that the client waits for are
 * reached. */
static bool
has_reached(const struct client *k)
{
	const struct ctl_ops *ops = &k->ctl->ops;
	const struct view *v = ops->view(ops->cookie);

	if (k->follows)
		return ops->last_event(ops->cookie) > k->since;

	return (v != NULL ? v->generation : 0) >= k->generation &&
	       ops->sweeps(ops->cookie) >= k->sweep;
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
	k->follows = false;
	k->generation = (uint64_t)generation;
	k->sweep = (uint64_t)sweep;
	if (has_reached(k))
		return status_now(k->ctl);
	k->waiting = true;
	return NULL;
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
	return topology_answer(request, k->ctl->ops.view(k->ctl->ops.cookie));
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
	k->follows = true;
	k->since = (uint64_t)since;
	if (wait == 0 || has_reached(k))
		return answer_waiting(k);
	k->waiting = true;
	return NULL;
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
answer_malformed(struct client *k, const char *text)
{
	k->ctl->stats.malformed++;
	return answer_error("bad-request", text);
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

/* Execute a decoded request. */
static void
run_request(struct client *k, json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "cmd"));

	if (name == NULL) {
		k->answer = answer_malformed(k,
			"a request is an object with \"cmd\", "
			"such as {\"cmd\":\"status\"}");
		return;
	}
	k->answer = run_command(k, name, request);
	if (k->answer != NULL && answer_failed(k->answer))
		k->ctl->stats.refused++;
}

/* Execute the request in the first n bytes of k->in, a line. */
static void
take_line(struct client *k, size_t n, struct mono now)
{
	json_error_t err;
	json_t *request;
	struct reason why;

	request = json_loadb(k->in.text, n, JSON_REJECT_DUPLICATES, &err);
	if (request == NULL) {
		(void)reason_set(&why, "not a line of JSON: column %d: %s",
			err.column, err.text);
		k->answer = answer_malformed(k, why.text);
	} else {
		run_request(k, request);
		json_decref(request);
	}
	k->ctl->stats.requests++;
	k->asked = now;
	buf_drop(&k->in, n + 1);
}

static bool
is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return true;
}

/*
 * Start the answer to the next request, if there is one that can be answered
 * now; true if there is an answer.
 */
static bool
next_request(struct client *k, struct mono now)
{
	char *end;
	size_t n;

	while (!k->last && !k->waiting && k->answer == NULL && k->in.n > 0) {
		end = memchr(k->in.text, '\n', k->in.n);
		n = end != NULL ? (size_t)(end - k->in.text) : k->in.n;
		if (n > CTL_REQUEST_MAX) {
			k->answer = answer_malformed(
				k, "a request has at most 65536 bytes");
			k->last = true;
		} else if (end == NULL && k->eof) {
			k->answer = answer_malformed(
				k, "the request does not end with a newline");
			k->last = true;
		} else if (end == NULL) {
			break;
		} else if (is_blank(k->in.text, n)) {
			buf_drop(&k->in, n + 1);
		} else {
			take_line(k, n, now);
		}
	}
	return k->answer != NULL;
}

/* ---- serving a client ---- */

/* False if the connection is dead. */
static bool
receive_bytes(struct client *k)
{
	char chunk[READ_CHUNK];
	ssize_t n;

	n = recv(k->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (n > 0)
		buf_put(&k->in, chunk, (size_t)n);
	else if (n == 0)
		k->eof = true;
	else
		return errno == EAGAIN || errno == EINTR;
	return true;
}

static bool
send_bytes(struct client *k, struct mono now)
{
	ssize_t n;

	if (k->out.n == 0)
		return true;
	n = send(k->fd, k->out.text, k->out.n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n > 0)
		k->progress = now;
	buf_drop(&k->out, (size_t)n);
	return true;
}

/* Produce more of the answer while the client reads fast enough. */
static void
produce_answers(struct client *k, struct mono now)
{
	struct ctl *c = k->ctl;

	while (k->out.n < c->limits.slice && next_request(k, now)) {
		if (k->out.n == 0)
			k->progress = now;
		if (answer_more(k->answer, c->limits.slice - k->out.n, &k->out))
			return;
		release_later(c, answer_free(k->answer));
		k->answer = NULL;
	}
}

/* Without events the client waits for its answer; ctl_changed continues it. */
static void
rearm_events(struct client *k)
{
	unsigned events = 0;

	if (!k->eof && !k->last && k->in.n <= CTL_REQUEST_MAX)
		events |= LOOP_READ;
	if (k->out.n > 0)
		events |= LOOP_WRITE;
	loop_fd_set(k->watch, events);
}

/* True if more can be done at once although no event will announce it. */
static bool
has_more_work(const struct client *k)
{
	if (k->out.n > 0)
		return false;
	if (k->answer != NULL)
		return true;
	return !k->waiting && !k->last && k->in.n > 0 &&
	       (k->eof || memchr(k->in.text, '\n', k->in.n) != NULL);
}

static bool
is_finished(const struct client *k)
{
	if (k->out.n > 0 || k->answer != NULL)
		return false;
	/* a client that closes while waiting is gone */
	return k->last || (k->eof && (k->waiting || k->in.n == 0));
}

static void
serve_client(struct client *k, unsigned events, struct mono now)
{
	struct ctl *c = k->ctl;
	bool alive = true;

	if ((events & LOOP_READ) != 0)
		alive = receive_bytes(k);
	if (alive && k->waiting && has_reached(k)) {
		k->waiting = false;
		k->answer = answer_waiting(k);
	}
	if (alive) {
		produce_answers(k, now);
		alive = send_bytes(k, now);
	}
	if (!alive || is_finished(k)) {
		client_free(k);
	} else {
		rearm_events(k);
		if (has_more_work(k))
			loop_wake_send(c->again);
	}
	shed_views(c);
}

static void
on_client(void *cookie, unsigned events, struct mono now)
{
	serve_client(cookie, events, now);
}

/* Runs from the loop: the caller of ctl_changed may be inside serve_client. */
static void
on_again(void *cookie, struct mono now)
{
	struct ctl *c = cookie;
	struct client *k, *next;

	for (k = c->clients; k != NULL; k = next) {
		next = k->next;
		serve_client(k, 0, now);
	}
	shed_views(c);
}

/* ---- clients that stop ---- */

static void
tick_later(struct ctl *c, struct mono now)
{
	int64_t least = c->limits.stall.ns;

	if (c->limits.idle.ns < least)
		least = c->limits.idle.ns;
	if (c->limits.wait.ns < least)
		least = c->limits.wait.ns;
	if (!c->ticking)
		loop_timer_set(
			c->stalls, mono_add(now, (struct mono){least / 4}));
	c->ticking = true;
}

static bool
has_passed(struct mono from, struct mono limit, struct mono now)
{
	return !mono_before(now, mono_add(from, limit));
}

/* True if the client does not read its reply, or asks nothing. */
static bool
has_stopped(const struct client *k, struct mono now)
{
	const struct ctl_limits *max = &k->ctl->limits;

	if (k->out.n > 0)
		return has_passed(k->progress, max->stall, now);
	return k->answer == NULL && !k->waiting &&
	       has_passed(k->asked, max->idle, now) &&
	       has_passed(k->progress, max->idle, now);
}

/* Answer a client that has waited too long for a generation or a sweep. */
static void
end_wait(struct client *k, struct mono now)
{
	k->waiting = false;
	k->ctl->stats.refused++;
	k->answer = answer_error("timeout",
		"what was waited for did not come in time: ask again");
	serve_client(k, 0, now);
}

static void
on_stalls(void *cookie, struct mono now)
{
	struct ctl *c = cookie;
	struct client *k, *next;

	c->ticking = false;
	for (k = c->clients; k != NULL; k = next) {
		next = k->next;
		if (has_stopped(k, now)) {
			c->stats.dropped++;
			client_free(k);
		} else if (k->waiting &&
			   has_passed(k->asked, c->limits.wait, now)) {
			end_wait(k, now);
		}
	}
	shed_views(c);
	loop_fd_set(c->watch, LOOP_READ); /* if accept had failed */
	if (c->clients != NULL)
		tick_later(c, now);
}

/* ---- the listening socket ---- */

static uid_t
peer_uid(const struct ctl *c, int fd)
{
	struct ucred cred = {.uid = (uid_t)-1};
	socklen_t n = sizeof(cred);

	if (c->ops.peer_uid != NULL)
		return c->ops.peer_uid(c->ops.cookie, fd);
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n);
	return cred.uid;
}

/*
 * True if there is a place for one more client of this user. Other users share
 * limits.clients; beyond these root and the daemon's own user have a place
 * each, and root may use both.
 */
static bool
has_place(const struct ctl *c, uid_t uid)
{
	const uid_t own = geteuid();
	unsigned places = c->limits.clients, same = 0;

	if (uid == own || uid == 0)
		places++;
	if (uid == 0 && own != 0)
		places++;
	for (const struct client *k = c->clients; k != NULL; k = k->next)
		same += k->uid == uid;
	return c->stats.clients < places &&
	       (uid == own || uid == 0 || same < c->limits.per_user);
}

static void
add_client(struct ctl *c, int fd, struct mono now)
{
	struct client *k = mem_zalloc(1, sizeof(*k));
	const uid_t uid = peer_uid(c, fd);
	const bool place = has_place(c, uid);

	k->ctl = c;
	k->fd = fd;
	k->uid = uid;
	k->progress = k->asked = now;
	k->next = c->clients;
	if (k->next != NULL)
		k->next->prev = k;
	c->clients = k;
	c->stats.clients++;
	k->watch = loop_fd_new(c->loop, fd, LOOP_READ, on_client, k);
	if (!place) {
		c->stats.dropped++;
		k->answer = answer_error("busy", "too many clients");
		k->last = true;
		serve_client(k, 0, now);
	}
}

static void
on_listen(void *cookie, unsigned events, struct mono now)
{
	struct ctl *c = cookie;
	int fd;

	(void)events;
	fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		c->stats.accepted++;
		add_client(c, fd, now);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		loop_fd_set(c->watch, 0); /* no descriptors: retry later */
	}
	tick_later(c, now);
}

static void
set_limits(struct ctl_limits *l)
{
	if (l->clients == 0)
		l->clients = 64;
	if (l->per_user == 0)
		l->per_user = (l->clients + 3) / 4;
	if (l->slice == 0)
		l->slice = 65536;
	if (l->stall.ns == 0)
		l->stall = mono_ms(30000);
	if (l->idle.ns == 0)
		l->idle = mono_ms(120000);
	if (l->wait.ns == 0)
		l->wait = mono_ms(3600000);
}

static int
set_address(const char *path, struct sockaddr_un *sun, struct reason *why)
{
	size_t n = strlen(path);

	*sun = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (n == 0 || n >= sizeof(sun->sun_path))
		return reason_set(why,
			"control socket %s: a path has 1 to %zu bytes", path,
			sizeof(sun->sun_path) - 1);
	memcpy(sun->sun_path, path, n);
	return 0;
}

int
ctl_live(const char *path)
{
	struct sockaddr_un sun;
	int fd, ok;

	if (set_address(path, &sun, NULL) != 0)
		return 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	ok = connect(fd, (const struct sockaddr *)&sun, sizeof(sun)) == 0 ||
	     errno == EAGAIN || errno == EACCES;
	(void)close(fd);
	return ok;
}

/*
 * 0 if path is free, or was the socket of a dead daemon, which is then removed.
 */
static int
clear_path(const char *path, struct reason *why)
{
	struct stat st;

	if (lstat(path, &st) != 0) {
		if (errno == ENOENT)
			return 0;
		return reason_set(
			why, "control socket %s: %s", path, strerror(errno));
	}
	if (!S_ISSOCK(st.st_mode))
		return reason_set(why,
			"control socket %s: exists and is not a socket", path);
	if (ctl_live(path))
		return reason_set(why,
			"control socket %s: another process is listening on it",
			path);
	if (unlink(path) != 0 && errno != ENOENT)
		return reason_set(
			why, "control socket %s: %s", path, strerror(errno));
	return 0;
}

static int
listen_at(const char *path, struct stat *id, struct reason *why)
{
	struct sockaddr_un sun;
	mode_t mask;
	int fd, bound;

	if (set_address(path, &sun, why) != 0 ||
		file_make_parent(path, why) != 0 || clear_path(path, why) != 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return reason_set(why, "control socket: %s", strerror(errno));
	mask = umask(0117);
	bound = bind(fd, (const struct sockaddr *)&sun, sizeof(sun));
	(void)umask(mask);
	if (bound == 0 && listen(fd, BACKLOG) == 0 && lstat(path, id) == 0)
		return fd;
	(void)reason_set(why, "control socket %s: %s", path, strerror(errno));
	(void)close(fd);
	if (bound == 0)
		(void)unlink(path);
	return -1;
}

struct ctl *
ctl_open(struct loop *l, const char *path, const struct ctl_ops *ops,
	const struct ctl_limits *limits, struct reason *why)
{
	struct ctl *c;
	struct stat id;
	int fd = listen_at(path, &id, why);

	if (fd < 0)
		return NULL;
	c = mem_zalloc(1, sizeof(*c));
	c->loop = l;
	c->path = mem_strdup(path);
	c->id = id;
	c->fd = fd;
	c->ops = *ops;
	if (limits != NULL)
		c->limits = *limits;
	set_limits(&c->limits);
	c->watch = loop_fd_new(l, fd, LOOP_READ, on_listen, c);
	c->stalls = loop_timer_new(l, on_stalls, c);
	c->again = loop_wake_new(l, on_again, c);
	return c;
}

void
ctl_close(struct ctl *c)
{
	struct client *next;
	struct stat st;

	if (c == NULL)
		return;
	for (struct client *k = c->clients; k != NULL; k = next) {
		next = k->next;
		client_free(k);
	}
	while (c->nshed > 0)
		view_unref(c->shed[--c->nshed]);
	free(c->shed);
	loop_wake_free(c->again);
	loop_timer_free(c->stalls);
	loop_fd_free(c->watch);
	(void)close(c->fd);
	if (lstat(c->path, &st) == 0 && st.st_dev == c->id.st_dev &&
		st.st_ino == c->id.st_ino)
		(void)unlink(c->path);
	free(c->path);
	free(c);
}

void
ctl_changed(struct ctl *c, struct mono now)
{
	(void)now;
	loop_wake_send(c->again);
}

const struct ctl_stats *
ctl_stats(const struct ctl *c)
{
	return &c->stats;
}
