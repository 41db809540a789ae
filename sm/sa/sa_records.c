/* The dispatch table: attribute, methods, record, handlers. */
#include "sm/sa/sa_priv.h"

static const struct sa_kind *const kinds[] = {
	&sa_class_port_info,
	&sa_node,
	&sa_port,
	&sa_switch,
	&sa_lft,
	&sa_mft,
	&sa_sl2vl,
	&sa_vlarb,
	&sa_pkey,
	&sa_manager_kind,
	&sa_link,
	&sa_guid,
	&sa_service,
	&sa_path,
	&sa_multi,
	&sa_trace,
	&sa_member_kind,
	&sa_inform,
	&sa_inform_rec,
};

const struct sa_kind *
sa_records_find(uint16_t attr)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->attr == attr)
			return kinds[i];
	return NULL;
}
