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
		json_util_append(list,
			M("guid", names_guid(t->node[w[i].node].guid)),
			M("name", names_node_desc(t, w[i].node)),
			M("member", names_text(w[i].name)),
			M("joins", w[i].joins));
	free(w);
	return json_util_object(
		M("pinned", json_boolean(pins != NULL)), M("waiting", list));
}
