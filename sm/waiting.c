#include "sm/waiting.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sm/base/loop.h"
#include "sm/report/json_util.h"
#include "sm/report/problem.h"

/* A hand-over takes less than that, and is looked at so often. */
enum { HANDOVER_MS = 10000, LOOK_NS = 50000000 };

enum { SMINFO_MASTER = 3 };

json_t *
waiting_after(const struct asking *q, json_t *reply, int *code)
{
	const json_t *result = json_object_get(reply, "result");
	const char *key = json_object_get(result, "wait_sweep") != NULL
				  ? "wait_sweep"
				  : "wait_generation";
	json_t *request = json_pack("{s:s, s:O}", "cmd", "status", key,
		json_object_get(result, key));
	json_t *after = NULL;

	if (request != NULL)
		after = asking_reply(q, request, code);
	else
		*code = EXIT_PROBLEM;
	json_decref(request);
	json_decref(reply);
	return after;
}

/* What waiting_after waits for, from the first drain of an answer that is not
 * in force yet; NULL: it is. */
static json_t *
pending_drain(const json_t *reply)
{
	const json_t *list =
		json_object_get(json_object_get(reply, "result"), "drains");
	const json_t *d = json_array_get(list, 0);

	if (strcmp(json_util_text(d, "state"), "pending") != 0)
		return NULL;
	return json_pack("{s:{s:O}}", "result", "wait_generation",
		json_object_get(d, "generation"));
}

json_t *
waiting_drained(const struct asking *q, json_t *reply, json_t *node, int *code)
{
	bool waits = json_object_get(json_object_get(reply, "result"),
			     "wait_generation") != NULL;
	json_t *request =
		json_pack("{s:s, s:O}", "cmd", "drains", "node", node);
	json_t *after = waits ? reply : NULL;

	if (!waits)
		json_decref(reply);
	do {
		reply = after != NULL ? waiting_after(q, after, code)
				      : json_null();
		if (reply == NULL)
			break;
		json_decref(reply);
		reply = asking_reply(q, request, code);
		after = waits ? pending_drain(reply) : NULL;
	} while (after != NULL);
	json_decref(request);
	return reply;
}

/* True if by this status another manager is master. */
static bool
is_handed_over(const json_t *status)
{
	const json_t *master = json_object_get(status, "master");
	const char *role = json_string_value(json_object_get(status, "role"));

	return role != NULL && strcmp(role, "standby") == 0 &&
	       json_integer_value(json_object_get(master, "state")) ==
		       SMINFO_MASTER;
}

json_t *
waiting_handed_over(const struct asking *q, json_t *reply, int *code)
{
	static const struct timespec pause = {0, LOOK_NS};
	const struct asking soon = {
		q->fd, mono_add(loop_now(), mono_ms(HANDOVER_MS)), q->json};
	json_t *request = json_util_object(M("cmd", "status"));

	do {
		json_decref(reply);
		(void)nanosleep(&pause, NULL);
		reply = asking_reply(&soon, request, code);
	} while (reply != NULL && mono_before(loop_now(), soon.until) &&
		 !is_handed_over(json_object_get(reply, "result")));
	json_decref(request);
	if (reply == NULL || is_handed_over(json_object_get(reply, "result")))
		return reply;
	(void)fprintf(stderr,
		"heddlectl: not handed over: the log of heddled says why\n");
	*code = EXIT_PROBLEM;
	json_decref(reply);
	return NULL;
}
