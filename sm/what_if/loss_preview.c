#include "sm/what_if/loss_preview.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/what_if/inputs.h"

/* The pins that the daemon has, or NULL. */
static struct name_pins *
pins_of(const struct state_file *s)
{
	struct name_pin *pin;
	struct name_pins *p;

	if (s->npin == 0)
		return NULL;
	pin = mem_zalloc(s->npin, sizeof(*pin));
	for (size_t i = 0; i < s->npin; i++)
		pin[i] = (struct name_pin){s->pin[i].name, s->pin[i].guid};
	p = name_pins_new(pin, s->npin, s->unnamed, s->nunnamed);
	free(pin);
	return p;
}

int
loss_preview_judge(const struct snapshot *g, struct config *is,
	struct config_loss *out, struct reason *why)
{
	struct name_pins *pins = pins_of(&g->state);
	const struct config_loss_ask ask = {.was = g->cfg,
		.is = is,
		.topo = g->topo,
		.pins = pins,
		.record = g->lid,
		.nrecord = g->state.nlid};
	int rc = config_loss_judge(&ask, out, why);

	name_pins_unref(pins);
	return rc;
}

int
loss_preview_ask(const char *socket, struct config *c, bool *refused,
	struct buf *out, struct reason *why)
{
	struct snapshot g = {0};
	struct config_loss loss;
	json_t *answer;
	int code, rc = 0;

	answer = inputs_ask_daemon(socket, false, &code, why);
	if (answer != NULL && snapshot_read_fabric(answer, &g, why) == 0) {
		rc = loss_preview_judge(&g, c, &loss, why) == 0 ? 1 : -1;
		if (rc == 1) {
			*refused = config_loss_refused(&loss, c);
			config_loss_text(&loss, c, g.topo, "\n", out);
			if (loss.affected > 0)
				buf_printf(out, "\n");
		}
		snapshot_read_free(&g);
	}
	json_decref(answer);
	return rc;
}
