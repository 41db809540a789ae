#include "distribution/device/device_write.h"

#include <string.h>

#include "sm/mad/mad.h"

static struct device_at
at_of(const struct device_set *set)
{
	const struct topo_port *p = &set->topo->port[set->port];

	return (struct device_at){
		set->topo->node[p->node].guid, set->attr, p->num, set->block};
}

void
device_record(struct device_store *h, const struct topo *t, port_ix p,
	struct device_at at, const uint8_t *data)
{
	uint8_t is[MAD_DATA] = {0};

	memcpy(is, data, device_attribute_size(at.attr, t, p, at.block));
	device_put(h, at, is);
}

bool
device_has_taken(const struct device_store *h, const struct device_set *set)
{
	const uint8_t *is = device_bytes(h, at_of(set));

	return is != NULL && device_attribute_lacks(set->attr, set->topo,
				     set->port, set->block, is, set->data) == 0;
}

void
device_set_leaves(struct device_store *h, const struct device_set *set)
{
	device_expect(h, at_of(set));
	device_lose(h, at_of(set));
}

void
device_doubt_copies(struct device_store *h, struct device_at at,
	const uint8_t *sent, const struct xact_result *res, struct mono stray)
{
	const struct device_attribute *a = &device_attribute[at.attr];
	struct mono until = mono_add(res->now, stray);

	if (res->outcome != XACT_TIMEOUT && res->tries < 2)
		return;
	if (a->block_doubted) {
		device_doubt(h, at, res->outcome == XACT_OK ? res->data : sent,
			until);
	} else if (a->doubted) {
		at.block = 0;
		device_doubt(h, at, NULL, until);
	}
}

enum device_taken
device_set_answered(struct device_store *h, const struct device_set *set,
	const struct xact_result *res, struct mono stray)
{
	struct device_at at = at_of(set);

	device_doubt_copies(h, at, set->data, res, stray);
	if (res->outcome != XACT_OK)
		return res->outcome == XACT_STATUS ? DEVICE_REFUSED
						   : DEVICE_LOST;
	device_record(h, set->topo, set->port, at, res->data);
	return device_attribute_lacks(set->attr, set->topo, set->port,
		       set->block, res->data, set->data) == 0
		       ? DEVICE_TOOK
		       : DEVICE_TOOK_OTHER;
}
