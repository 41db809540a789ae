#include "sm/report/partition_json.h"

#include "config/partition_options.h"
#include "sm/policy/pkeys.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/view_partition.h"

/* Ports in the partition: full members only, or all members. */
static int
count_ports(const struct view *v, uint16_t pkey, bool full)
{
	const struct topo *t = v->topo;
	int n = 0;

	for (port_ix p = 0; p < t->nports; p++) {
		const uint16_t *key;
		size_t nkeys = pkeys_list(&v->pkeys->live, p, &key);
		bool in = false;

		for (size_t i = 0; i < nkeys; i++)
			in |= (key[i] & PKEY_NUMBER) == pkey &&
			      (!full || (key[i] & PKEY_FULL) != 0);
		n += in;
	}
	return n;
}

static json_t *
list_partitions(const struct view *v)
{
	const struct schema_records *all = &v->pkeys->cfg->partitions;
	const struct partition_options *o = all->record;
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_util_append(list, M("name", names_text(all->name[i])),
			M("pkey", o[i].pkey),
			M("ports", count_ports(v, (uint16_t)o[i].pkey, false)),
			M("full", count_ports(v, (uint16_t)o[i].pkey, true)));
	return list;
}

static json_t *
list_unmatched(const struct pkeys *k)
{
	const struct schema_records *all = &k->cfg->partitions;
	const struct partition_options *o = all->record;
	json_t *list = json_array();

	for (size_t i = 0; i < k->nunmatched; i++) {
		const struct pkeys_unmatched *n = &k->unmatched[i];

		json_util_append(list,
			M("partition", names_text(all->name[n->partition])),
			M("member", names_text(o[n->partition]
						       .members.entry[n->member]
						       .text)));
	}
	return list;
}

json_t *
partition_json(const struct view *v, const char *no_room)
{
	if (v->pkeys == NULL)
		return json_null();
	return json_util_object(M("list", list_partitions(v)),
		M("nobody", list_unmatched(v->pkeys)),
		M("no_room", names_text(no_room)));
}
