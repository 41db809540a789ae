#include "sm/record/record_tap.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct record_tap {
	struct transport transport; /* first: the core holds this */
	struct transport *under;
	struct record_mask mask;
	struct record_requests requests;
	struct record_image last;
	record_sink *sink;
	void *cookie;
	struct buf entry;
};

static void
hand_over(struct record_tap *tap)
{
	const uint8_t *entry = (const uint8_t *)tap->entry.text;

	record_image_follow(&tap->last, (enum record_kind) * entry);
	tap->sink(tap->cookie, entry, tap->entry.n);
}

static int
send_message(struct transport *t, const struct transport_msg *m)
{
	struct record_tap *tap = (struct record_tap *)t;
	int rc = tap->under->send(tap->under, m);

	if (rc == 0 && record_requests_add(&tap->requests, m, &tap->mask))
		return 0;
	record_put_sent(m, rc != 0, &tap->mask, &tap->entry);
	hand_over(tap);
	return rc;
}

struct record_tap *
record_tap_new(const struct record_mask *mask, record_sink *sink, void *cookie)
{
	struct record_tap *tap = mem_zalloc(1, sizeof(*tap));

	tap->transport.send = send_message;
	tap->mask = *mask;
	tap->sink = sink;
	tap->cookie = cookie;
	return tap;
}

void
record_tap_free(struct record_tap *tap)
{
	if (tap == NULL)
		return;
	buf_free(&tap->entry);
	free(tap);
}

struct transport *
record_tap_transport(struct record_tap *tap, struct transport *t)
{
	tap->under = t;
	tap->transport.tid_start = t->tid_start;
	return &tap->transport;
}

/* The text of a configuration, masked. */
static int
print_config(const struct record_tap *tap, const struct config *c,
	struct buf *out, struct reason *why)
{
	struct config *masked = record_mask_config(&tap->mask, c, why);

	if (masked == NULL)
		return -1;
	config_print(masked, out);
	config_unref(masked);
	return 0;
}

int
record_tap_begin(struct record_tap *tap, const struct config *c,
	const struct state_file *state, uint64_t port_guid, struct mono now,
	uint64_t wall, struct reason *why)
{
	struct state_file masked = *state;
	struct buf config = {0}, text = {0};
	char *sa;

	if (print_config(tap, c, &config, why) != 0)
		return -1;
	sa = record_mask_state(&tap->mask, state->sa);
	masked.sa = sa;
	state_file_print(&masked, &text);
	if (tap->requests.fresh > 0) /* of the core before */
		record_tap_asked(tap);
	memset(&tap->requests, 0, sizeof(tap->requests));
	record_put_begin(&(struct record_begin){.now = now,
				 .wall = wall,
				 .port_guid = port_guid,
				 .tid_start = tap->transport.tid_start,
				 .writing = state->writing,
				 .unsaved = state->unsaved,
				 .away = state->away,
				 .config = config.text,
				 .state = text.text},
		&tap->entry);
	hand_over(tap);
	free(sa);
	buf_free(&config);
	buf_free(&text);
	return 0;
}

static void
put_input(struct record_tap *tap, const struct sm_input *in, const char *config)
{
	record_put_input(in, config, &tap->mask, &tap->requests, &tap->last,
		&tap->entry);
	hand_over(tap);
}

/* A configuration that cannot be masked is read back as none, and the replay
 * ends there. */
static void
put_reconfigure(struct record_tap *tap, const struct sm_input *in)
{
	struct buf config = {0};

	(void)print_config(tap, in->is.reconfigure.config, &config, NULL);
	put_input(tap, in, config.text);
	buf_free(&config);
}

void
record_tap_input(struct record_tap *tap, const struct sm_input *in)
{
	if (tap->requests.fresh >= RECORD_REQUESTS_DIGEST)
		record_tap_asked(tap);
	if (in->kind == SM_INPUT_RECONFIGURE)
		put_reconfigure(tap, in);
	else
		put_input(tap, in, NULL);
}

void
record_tap_asked(struct record_tap *tap)
{
	record_put_asked(&tap->requests, &tap->entry);
	hand_over(tap);
}

struct record_requests *
record_tap_requests(struct record_tap *tap)
{
	return &tap->requests;
}

void
record_tap_seconds(struct record_tap *tap, uint64_t seconds)
{
	record_put_seconds(seconds, &tap->entry);
	hand_over(tap);
}

void
record_tap_clock(struct record_tap *tap, struct mono now, uint64_t wall)
{
	record_put_clock(now, wall, &tap->entry);
	hand_over(tap);
}
