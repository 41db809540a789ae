/* The frames between libheddle-umad.so and its server, sound and damaged. */
#include "tests/sim/preload/proto.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/rng.h"
#include "tests/unit/suite.h"
#include "tests/unit/tests/sim/serve/hello.h"

TEST(hellos)
{
	static const struct {
		size_t at, bytes;
		uint8_t fill;
		const char *why;
	} t[] = {
		{offsetof(struct proto_hello, head.kind), 1, 7, "protocol"},
		{offsetof(struct proto_hello, magic), 4, 0, "protocol"},
		{offsetof(struct proto_hello, version), 2, 9, "version"},
		{offsetof(struct proto_hello, head.size), 4, 0, "size"},
		{offsetof(struct proto_hello, head.size), 4, 0xff, "size"},
		{offsetof(struct proto_hello, want), 2, 0, "wants"},
		{offsetof(struct proto_hello, want), 2, 0x77, "wants"},
		{offsetof(struct proto_hello, host), PROTO_HOST, 'x', "text"},
		{offsetof(struct proto_hello, path), PROTO_PATH, '/', "text"},
	};
	struct proto_hello h = make_hello(PROTO_WANT_FILE, "x"), out;
	char frame[sizeof(h) + 1];
	const char *why = "";

	ck_assert_int_eq(proto_hello_decode(&h, sizeof(h), &out, &why), 0);
	ck_assert_int_eq(memcmp(&h, &out, sizeof(h)), 0);
	for (size_t n = 0; n < sizeof(h); n++)
		ck_assert_int_eq(proto_hello_decode(&h, n, &out, &why), -1);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		memcpy(frame, &h, sizeof(h));
		memset(frame + t[i].at, t[i].fill, t[i].bytes);
		ck_assert_int_eq(
			proto_hello_decode(frame, sizeof(h), &out, &why), -1);
		ck_assert_msg(strstr(why, t[i].why) != NULL, "%zu: %s", i, why);
	}
	h.head.size++;
	memcpy(frame, &h, sizeof(h));
	ck_assert_int_eq(
		proto_hello_decode(frame, sizeof(frame), &out, &why), -1);
}

TEST(answers)
{
	struct proto_answer a = {
		.head = {PROTO_ANSWER, sizeof(a) + 3},
		.magic = PROTO_MAGIC,
		.version = PROTO_VERSION,
		.bytes = 3,
	};
	struct proto_answer out;
	char frame[sizeof(a) + 3], text[PROTO_TEXT];
	const char *why = "";

	memcpy(frame, &a, sizeof(a));
	memcpy(frame + sizeof(a), "abc", 3);
	ck_assert_int_eq(
		proto_answer_decode(frame, sizeof(frame), &out, text, &why), 0);
	ck_assert_int_eq(memcmp(text, "abc", 3), 0);
	for (size_t n = 0; n < sizeof(frame); n++)
		ck_assert_int_eq(
			proto_answer_decode(frame, n, &out, text, &why), -1);
	a.bytes = PROTO_TEXT + 1;
	memcpy(frame, &a, sizeof(a));
	ck_assert_int_eq(
		proto_answer_decode(frame, sizeof(frame), &out, text, &why),
		-1);
}

TEST(mads)
{
	static const struct {
		uint32_t kind, size;
		size_t n;
		int rc;
		size_t len;
	} t[] = {
		{PROTO_PLAIN, PROTO_MAD_AT + 256, PROTO_MAD_AT + 256, 0, 256},
		{PROTO_PLAIN, PROTO_MAD_AT + 24, PROTO_MAD_AT + 24, 0, 24},
		{PROTO_PLAIN, PROTO_MAD_AT + 23, PROTO_MAD_AT + 23, -1, 0},
		{PROTO_PLAIN, PROTO_MAD_AT + 256, PROTO_MAD_AT + 255, -1, 0},
		{PROTO_PLAIN, PROTO_MAD_AT + 257, PROTO_MAD_AT + 257, -1, 0},
		{PROTO_PLAIN, 0, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_BIG, PROTO_MAD_AT + 257, PROTO_MAD_AT + 256, 0, 257},
		{PROTO_BIG, PROTO_MAD_AT + 256, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_BIG, PROTO_MAD_AT + 999, PROTO_MAD_AT + 255, -1, 0},
		{PROTO_BIG, PROTO_MESSAGE, PROTO_MAD_AT + 256, 0,
			PROTO_MESSAGE - PROTO_MAD_AT},
		{PROTO_BIG, PROTO_MESSAGE + 1, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_BIG, UINT32_MAX, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_BODY, PROTO_MAD_AT + 256, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_HELLO, PROTO_MAD_AT + 256, PROTO_MAD_AT + 256, -1, 0},
		{PROTO_PLAIN, 0, 0, -1, 0},
	};
	uint8_t frame[sizeof(struct proto_mad) + 8];
	struct proto_mad out;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct proto_head head = {t[i].kind, t[i].size};
		const char *why = "";
		size_t len = 0;

		memset(frame, 0x5a, sizeof(frame));
		memcpy(frame, &head, sizeof(head));
		ck_assert_msg(proto_mad_decode(frame, t[i].n, &out, &len,
				      &why) == t[i].rc &&
				      len == t[i].len,
			"case %zu: %zu bytes, %s", i, len, why);
		if (t[i].rc == 0 && t[i].len < PROTO_MAD)
			ck_assert_uint_eq(out.mad[t[i].len], 0);
	}
}

/* Valid frames with random damage: accepted only if sound. */
TEST(damaged)
{
	struct rng r = {.state = 1};

	for (int i = 0; i < 200000; i++) {
		struct proto_hello h = make_hello((uint16_t)(i % 7), "host");
		struct proto_hello got;
		struct proto_mad m = {
			.head = {PROTO_PLAIN + (uint32_t)(i & 1), sizeof(m)}};
		struct proto_mad mad;
		const char *why = "";
		size_t len = 0, n = rng_below(&r, sizeof(m) + 1);

		for (unsigned k = rng_below(&r, 4); k > 0; k--) {
			((uint8_t *)&h)[rng_below(&r, sizeof(h))] ^=
				(uint8_t)rng_next(&r);
			((uint8_t *)&m)[rng_below(&r, 16)] ^=
				(uint8_t)rng_next(&r);
		}
		if (proto_hello_decode(&h, sizeof(h), &got, &why) == 0)
			ck_assert_msg(strlen(got.host) < PROTO_HOST &&
					      strlen(got.path) < PROTO_PATH,
				"seed 1, frame %d", i);
		if (proto_mad_decode(&m, n, &mad, &len, &why) == 0)
			ck_assert_msg(
				len >= PROTO_MAD_HEADER && len <= PROTO_MESSAGE,
				"seed 1, frame %d", i);
	}
}
