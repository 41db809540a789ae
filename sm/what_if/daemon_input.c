#include "sm/what_if/daemon_input.h"

#include <string.h>
#include <unistd.h>

#include "sm/base/loop.h"
#include "sm/base/version.h"
#include "sm/ctl/client.h"
#include "sm/report/json_util.h"

enum { PATIENCE_S = 60 };
enum { CODE_PROBLEM = 1, CODE_USAGE, CODE_UNREACHABLE, CODE_REFUSED };

static int
code_of(enum client_fault fault)
{
	return fault == CLIENT_UNREACHABLE ? CODE_UNREACHABLE
	       : fault == CLIENT_FORBIDDEN ? CODE_REFUSED
					   : CODE_PROBLEM;
}

/* Why the daemon said no. */
static void
refused(const json_t *reply, struct reason *why)
{
	if (strcmp(json_util_text(reply, "code"), "unknown-command") == 0)
		(void)reason_set(why,
			"the running heddled is older than this heddlectl %s "
			"and cannot give a snapshot; restart it after the "
			"upgrade, or plan from files",
			VERSION_TEXT);
	else
		(void)reason_set(
			why, "heddled: %s", json_util_text(reply, "error"));
}

json_t *
daemon_input_read(const char *socket, int *code, struct reason *why)
{
	struct mono until =
		mono_add(loop_now(), mono_ms((int64_t)PATIENCE_S * 1000));
	json_t *request, *reply, *result;
	enum client_fault fault;
	int fd = client_connect(socket, &fault, why);

	if (fd < 0) {
		*code = code_of(fault);
		return NULL;
	}
	request = json_pack("{s:s}", "cmd", "snapshot");
	reply = client_ask(fd, request, until, &fault, why);
	json_decref(request);
	(void)close(fd);
	if (reply == NULL) {
		*code = code_of(fault);
		return NULL;
	}
	result = json_incref(json_object_get(reply, "result"));
	if (!json_is_object(result)) {
		*code = CODE_USAGE;
		refused(reply, why);
		json_decref(result);
		result = NULL;
	}
	json_decref(reply);
	return result;
}
