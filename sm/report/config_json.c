#include "sm/report/config_json.h"

#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"

/* What is in force of the option of this name until a restart; NULL: what the
 * configuration says. */
static const char *
value_until_restart(const struct config_changes *late, const char *key)
{
	for (size_t i = 0; i < late->n; i++)
		if (late->item[i].reload == SCHEMA_RESTART &&
			strcmp(late->item[i].key, key) == 0)
			return late->item[i].was;
	return NULL;
}

static json_t *
row_json(const struct config *c, const struct config_origin *o,
	const struct config_changes *late)
{
	const char *in_force = value_until_restart(late, o->key);
	json_t *j = json_util_object(
		M("key", names_text(o->key)), M("value", names_text(o->value)));

	if (o->at.line > 0) {
		json_util_put(j, M("file", names_text(c->file[o->at.file])),
			M("line", o->at.line));
	}
	if (in_force != NULL)
		json_util_put(j, M("in_force", names_text(in_force)));
	return j;
}

static json_t *
text_json(const struct config *c, const struct config_changes *late)
{
	struct buf text = {0};
	json_t *j;

	config_show(c, &text);
	for (size_t i = 0; i < late->n; i++)
		if (late->item[i].reload == SCHEMA_RESTART)
			buf_printf(&text, "# until a restart: %s is %s\n",
				late->item[i].key, late->item[i].was);
	j = json_string(text.text);
	buf_free(&text);
	return j;
}

json_t *
config_json(const struct config *c, const struct config *boot, bool origin)
{
	json_t *j = json_object(), *files = json_array(), *keys;
	struct config_changes late;

	config_diff(boot, c, &late);
	for (size_t i = 0; i < c->nfiles; i++)
		json_util_add(files, names_text(c->file[i]));
	json_util_put(j, M("files", files));
	if (origin) {
		keys = json_array();
		for (size_t i = 0; i < c->origins.n; i++)
			json_util_add(
				keys, row_json(c, &c->origins.item[i], &late));
		json_util_put(j, M("keys", keys));
	} else {
		json_util_put(j, M("text", text_json(c, &late)));
	}
	config_changes_free(&late);
	return j;
}
