#include "sm/view.h"

#include <stdlib.h>

struct view *
view_ref(struct view *v)
{
	if (v != NULL)
		v->refs++;
	return v;
}

void
view_unref(struct view *v)
{
	if (v == NULL || --v->refs > 0)
		return;
	routes_unref(v->routes);
	topo_unref(v->topo);
	free(v->quarantine);
	free(v->change.text);
	free(v);
}
