#include "sm/transport/xact_try.h"

#include <string.h>

bool
xact_try_is_by_lid(const struct xact_request *r, unsigned try)
{
	return r->lid != 0 && try == 0;
}

void
xact_try_encode(const struct xact_request *r, unsigned try, uint32_t tid,
	uint64_t key, struct transport_msg *m)
{
	bool by_lid = xact_try_is_by_lid(r, try);
	struct smp smp = {.mgmt_class = by_lid ? MAD_SUBN_LID : MAD_SUBN_DR,
		.method = r->method,
		.tid = tid,
		.attr = r->attr,
		.mod = r->mod,
		.mkey = key,
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff};

	memcpy(smp.data, r->data, sizeof(smp.data));
	if (!by_lid) {
		smp.hop_cnt = r->hops;
		memcpy(smp.path + 1, r->path + 1, r->hops);
	}
	*m = (struct transport_msg){
		.addr.lid = by_lid ? r->lid : 0xffff, .len = MAD_SIZE};
	smp_encode(&smp, m->mad);
}

bool
xact_try_fits(const struct xact_request *r, unsigned try,
	const struct transport_msg *m, const struct smp *s)
{
	bool by_lid = xact_try_is_by_lid(r, try), returned = m->error != 0;
	uint32_t differs = r->mod ^ s->mod;

	/* SMAs that do not know the bit may answer without it */
	if (r->attr == MAD_PORT_INFO)
		differs &= ~MAD_PORT_INFO_EXT;
	if (s->attr != r->attr || differs != 0 ||
		s->method != (returned ? r->method : MAD_GET_RESP) ||
		s->mgmt_class != (by_lid ? MAD_SUBN_LID : MAD_SUBN_DR))
		return false;
	if (returned)
		return true;
	if (by_lid)
		return m->addr.lid == r->lid;
	/* an answer has the initial path of its request (IBA 14.2.2) */
	return s->hop_cnt == r->hops &&
	       memcmp(s->path + 1, r->path + 1, r->hops) == 0;
}
