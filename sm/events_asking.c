#include "sm/events_asking.h"

#include <time.h>
#include <unistd.h>

#include "sm/asking.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/ctl/client.h"
#include "sm/report/json_util.h"
#include "sm/report/problem.h"

static int
connect_again(struct events_asking *q, bool again, int *code)
{
	static const struct timespec pause = {1, 0};
	enum client_fault fault;
	struct reason why;

	while (q->fd < 0) {
		q->fd = client_connect(q->socket, &fault, &why);
		if (q->fd >= 0)
			break;
		if (!again || fault != CLIENT_UNREACHABLE) {
			problem_print(asking_fault_word(fault),
				"%s; heddlectl events --file FILE reads what "
				"it wrote to state.dir",
				why.text);
			*code = asking_fault_code(fault);
			return -1;
		}
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

json_t *
events_asking_reply(
	struct events_asking *q, const json_t *request, bool again, int *code)
{
	static const struct timespec pause = {1, 0};
	enum client_fault fault;
	struct reason why;
	json_t *reply;

	while (connect_again(q, again, code) == 0) {
		if (!again) {
			const struct asking once = {q->fd,
				mono_add(loop_now(), q->patience), q->json};

			return asking_reply(&once, request, code);
		}
		reply = client_ask(q->fd, request, MONO_NEVER, &fault, &why);
		*code = reply != NULL ? asking_reply_code(reply) : EXIT_OK;
		if (reply != NULL && *code == EXIT_OK)
			return reply;
		/* the daemon has ended, or nothing happened for an hour */
		if (*code == EXIT_USAGE || *code == EXIT_REFUSED) {
			problem_print(
				"failed", "%s", json_util_text(reply, "error"));
			json_decref(reply);
			return NULL;
		}
		json_decref(reply);
		(void)close(q->fd);
		q->fd = -1;
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

void
events_asking_close(struct events_asking *q)
{
	if (q->fd >= 0)
		(void)close(q->fd);
	q->fd = -1;
}
