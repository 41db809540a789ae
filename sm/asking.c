#include "sm/asking.h"

#include <stdio.h>
#include <string.h>

#include "sm/base/reason.h"
#include "sm/report/problem.h"

int
asking_fault_code(enum client_fault fault)
{
	return fault == CLIENT_UNREACHABLE ? EXIT_UNREACHABLE
	       : fault == CLIENT_FORBIDDEN ? EXIT_REFUSED
					   : EXIT_PROBLEM;
}

const char *
asking_fault_word(enum client_fault fault)
{
	return fault == CLIENT_UNREACHABLE ? "unreachable"
	       : fault == CLIENT_FORBIDDEN ? "refused"
	       : fault == CLIENT_TIMEOUT   ? "timeout"
					   : "broken";
}

int
asking_reply_code(const json_t *reply)
{
	const char *code = json_string_value(json_object_get(reply, "code"));

	if (json_is_true(json_object_get(reply, "ok")))
		return EXIT_OK;
	if (code != NULL && strcmp(code, "refused") == 0)
		return EXIT_REFUSED;
	if (code != NULL && strcmp(code, "bad-argument") == 0)
		return EXIT_USAGE;
	return EXIT_PROBLEM;
}

bool
asking_connect(struct asking *q, const char *socket, int *code)
{
	enum client_fault fault;
	struct reason why;

	q->fd = client_connect(socket, &fault, &why);
	if (q->fd >= 0)
		return true;
	problem_print(asking_fault_word(fault), "%s", why.text);
	*code = asking_fault_code(fault);
	return false;
}

json_t *
asking_reply(const struct asking *q, const json_t *request, int *code)
{
	enum client_fault fault;
	struct reason why;
	const char *error;
	json_t *reply = client_ask(q->fd, request, q->until, &fault, &why);

	if (reply == NULL) {
		problem_print(asking_fault_word(fault), "%s", why.text);
		*code = asking_fault_code(fault);
		return NULL;
	}
	*code = asking_reply_code(reply);
	if (*code == EXIT_OK)
		return reply;
	error = json_string_value(json_object_get(reply, "error"));
	(void)fprintf(stderr, "heddlectl: %s\n",
		error != NULL ? error : "failed, no reason given");
	if (q->json) {
		(void)json_dumpf(reply, stdout, JSON_COMPACT);
		(void)putchar('\n');
	}
	json_decref(reply);
	return NULL;
}
