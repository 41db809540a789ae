#include "sm/report/names_json.h"

#include <stdlib.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"

json_t *
names_json(const struct name_pins *pins, const struct topo *t)
{
	struct name_wait *w = NULL;
	size_t n = pins != NULL ? name_pins_waiting(pins, t, &w) : 0;
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:b}", "guid",
				names_guid(t->node[w[i].node].guid), "name",
				names_node_desc(t, w[i].node), "member",
				names_text(w[i].name), "joins", w[i].joins));
	free(w);
	return json_pack("{s:b, s:o}", "pinned", pins != NULL, "waiting", list);
}
