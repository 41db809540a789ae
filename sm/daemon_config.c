#include "sm/daemon_config.h"
#include "sm/cabling/cabling_expected.h"

#include <stdio.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/buf.h"
#include "sm/base/log.h"
#include "sm/notify.h"

struct config *
daemon_config_read(const struct options *opt, struct diag_list *bad)
{
	return config_load(opt->file, opt->file_given, registry_modules(), bad);
}

/* The mistakes of a file, or why, if it has none: an event tells the first, and
 * the log has the others. *why becomes the first. */
static void
refuse_reload(struct daemon *d, const struct diag_list *bad, struct reason *why,
	struct mono now)
{
	struct buf text = {0};
	char *save = NULL, *line;

	d->facts.bad_reloads++;
	diag_text(bad, &text);
	line = text.text != NULL ? strtok_r(text.text, "\n", &save) : NULL;
	if (line != NULL)
		(void)reason_set(why, "%s", line);
	daemon_events_refused(d->own, why->text, now);
	while (line != NULL && (line = strtok_r(NULL, "\n", &save)) != NULL)
		log_error("config: %s", line);
	buf_free(&text);
}

void
daemon_config_log_files(const struct config *c)
{
	for (size_t i = 1; i < c->nfiles; i++)
		log_info("config: drop-in %s", c->file[i]);
}

static void
log_changes(const struct config_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct config_change *k = &c->item[i];

		if (k->reload == SCHEMA_RESTART)
			log_warn("config: %s is %s, not %s, until heddled is "
				 "restarted",
				k->key, k->was, k->is);
		else
			log_info("config: %s was=%s is=%s", k->key, k->was,
				k->is);
	}
}

void
daemon_config_reload(struct daemon *d, struct mono now)
{
	struct config_changes changes;
	struct cabling *plan = NULL;
	struct diag_list bad;
	struct config *c;
	struct reason why = {0};

	notify_reloading(now);
	d->facts.reloads++;
	c = daemon_config_read(d->opt, &bad);
	if (c != NULL &&
		(cabling_expected_read(c, d->opt->file, &plan, &why) != 0 ||
			(d->sm != NULL &&
				sm_accepts_config(d->sm, c, &why) != 0))) {
		cabling_free(plan);
		config_unref(c);
		c = NULL;
	}
	if (c == NULL) {
		refuse_reload(d, &bad, &why, now);
	} else {
		config_diff(d->config, c, &changes);
		daemon_config_log_files(c);
		log_changes(&changes);
		daemon_events_reload(d->own, &changes, now);
		config_unref(d->config);
		d->config = c;
		log_set_level((enum log_level)c->log.level);
		cabling_watch_set(d->cabling, plan);
		if (d->sm != NULL)
			sm_reconfigure(d->sm, c, &changes, now);
		config_changes_free(&changes);
		daemon_arm_timer(d);
	}
	(void)snprintf(d->facts.refused, sizeof(d->facts.refused), "%s",
		c == NULL ? why.text : "");
	diag_free(&bad);
	notify_ready();
}
