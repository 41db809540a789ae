/*
 * asking: a question of heddlectl to the daemon, and what its answer means: the
 * result to show, or an error that has been said and the exit code for it.
 */
#ifndef HEDDLE_SM_ASKING_H
#define HEDDLE_SM_ASKING_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/clock.h"
#include "sm/ctl/client.h"

/* How the daemon is asked. */
struct asking {
	int fd;		   /* of client_connect */
	struct mono until; /* when patience ends */
	bool json;	   /* print errors as JSON, too */
};

/* Connect to heddled. False: that failed, which has been said, and the exit
 * code is in *code. */
bool asking_connect(struct asking *q, const char *socket, int *code);

/* Ask heddled: its reply, a new reference, and EXIT_OK in *code; or NULL, and
 * in *code the exit code, when there is no result to show. */
json_t *asking_reply(const struct asking *q, const json_t *request, int *code);

/* The exit code for a fault of the connection, and the same as a word, for
 * JSON. */
int asking_fault_code(enum client_fault fault);
const char *asking_fault_word(enum client_fault fault);

/* The exit code for a reply. */
int asking_reply_code(const json_t *reply);

#endif
