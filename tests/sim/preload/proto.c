#include "tests/sim/preload/proto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct proto_umad) == PROTO_UMAD, "the kernel's layout");
_Static_assert(sizeof(struct proto_mad) == PROTO_MAD_AT + PROTO_MAD, "packed");

socklen_t
proto_address(const char *name, struct sockaddr_un *out)
{
	int n;

	if (name == NULL)
		name = getenv("IBSIM_SOCKNAME");
	if (name == NULL || *name == '\0')
		name = "sim";
	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	n = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1,
		"heddle-sim:%s", name);
	if (n < 0 || (size_t)n >= sizeof(out->sun_path) - 1)
		return 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

static int
set_error(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/* Magic and version keep their place in HELLO and ANSWER in all versions. */
static int
check_first(const void *frame, size_t n, enum proto_kind kind, size_t least,
	const char **why)
{
	struct {
		struct proto_head head;
		uint32_t magic;
		uint16_t version, what;
	} f;

	if (n < sizeof(f))
		return set_error(why, "a frame too short for its head");
	memcpy(&f, frame, sizeof(f));
	if (f.head.kind != kind || f.magic != PROTO_MAGIC)
		return set_error(why, "not a frame of heddle-sim's protocol");
	if (f.version != PROTO_VERSION)
		return set_error(
			why, "another version of heddle-sim's protocol");
	if (f.head.size != n || n < least)
		return set_error(why, "a frame of the wrong size");
	return 0;
}

int
proto_hello_decode(
	const void *frame, size_t n, struct proto_hello *out, const char **why)
{
	if (check_first(frame, n, PROTO_HELLO, sizeof(*out), why) < 0)
		return -1;
	if (n != sizeof(*out))
		return set_error(why, "a HELLO of the wrong size");
	memcpy(out, frame, sizeof(*out));
	if (out->want < PROTO_WANT_UMAD || out->want > PROTO_WANT_UNREGISTER)
		return set_error(why, "a HELLO that wants what does not exist");
	if (memchr(out->host, '\0', sizeof(out->host)) == NULL ||
		memchr(out->path, '\0', sizeof(out->path)) == NULL)
		return set_error(why, "a HELLO with a text that does not end");
	return 0;
}

int
proto_answer_decode(const void *frame, size_t n, struct proto_answer *out,
	char *text, const char **why)
{
	if (check_first(frame, n, PROTO_ANSWER, sizeof(*out), why) < 0)
		return -1;
	memcpy(out, frame, sizeof(*out));
	if (out->bytes > PROTO_TEXT || out->bytes != n - sizeof(*out))
		return set_error(why, "an ANSWER whose text has another size");
	if (text != NULL)
		memcpy(text, (const char *)frame + sizeof(*out), out->bytes);
	return 0;
}

int
proto_mad_decode(const void *frame, size_t n, struct proto_mad *out,
	size_t *len, const char **why)
{
	if (n < PROTO_MAD_AT + PROTO_MAD_HEADER || n > sizeof(*out))
		return set_error(why, "a MAD of an impossible size");
	memmove(out, frame, n);
	memset((char *)out + n, 0, sizeof(*out) - n);
	if (out->head.kind == PROTO_PLAIN) {
		if (out->head.size != n)
			return set_error(
				why, "a MAD of another size than it says");
		*len = n - PROTO_MAD_AT;
		return 0;
	}
	if (out->head.kind != PROTO_BIG)
		return set_error(why, "a frame that is no MAD");
	if (n != sizeof(*out) || out->head.size <= n ||
		out->head.size > PROTO_MESSAGE)
		return set_error(why, "a long message of an impossible size");
	*len = out->head.size - PROTO_MAD_AT;
	return 0;
}
