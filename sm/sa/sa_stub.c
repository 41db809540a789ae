#include "sm/sa/sa_priv.h"
struct sa_services *
sa_services_new(void)
{
	return NULL;
}
void
sa_services_free(struct sa_services *s)
{
	(void)s;
}
void
sa_services_commit(struct sa *sa)
{
	(void)sa;
}
struct mono
sa_services_next(const struct sa *sa)
{
	(void)sa;
	return MONO_NEVER;
}
void
sa_services_tick(struct sa *sa, struct mono now)
{
	(void)sa;
	(void)now;
}
uint32_t
sa_services_count(const struct sa *sa)
{
	(void)sa;
	return 0;
}
void
sa_services_ends(const struct sa_query *q, uint64_t id, struct sa_end_list *l)
{
	(void)q;
	(void)id;
	(void)l;
}
struct sa_guids *
sa_guids_new(void)
{
	return NULL;
}
void
sa_guids_free(struct sa_guids *g)
{
	(void)g;
}
void
sa_guids_commit(struct sa *sa, const struct view *old)
{
	(void)sa;
	(void)old;
}
port_ix
sa_guids_port(const struct sa *sa, uint64_t guid)
{
	(void)sa;
	(void)guid;
	return TOPO_NONE;
}
struct sa_informs *
sa_informs_new(void)
{
	return NULL;
}
void
sa_informs_free(struct sa_informs *i)
{
	(void)i;
}
void
sa_informs_commit(struct sa *sa, const struct view *old, struct mono now)
{
	(void)sa;
	(void)old;
	(void)now;
}
void
sa_informs_response(struct sa *sa, uint16_t lid, uint64_t tid, struct mono now)
{
	(void)sa;
	(void)lid;
	(void)tid;
	(void)now;
}
struct mono
sa_informs_next(const struct sa *sa)
{
	(void)sa;
	return MONO_NEVER;
}
void
sa_informs_tick(struct sa *sa, struct mono now)
{
	(void)sa;
	(void)now;
}
uint32_t
sa_informs_count(const struct sa *sa)
{
	(void)sa;
	return 0;
}
void
sa_trap(struct sa *sa, uint16_t lid, const uint8_t notice[MAD_DATA],
	struct mono now)
{
	(void)sa;
	(void)lid;
	(void)notice;
	(void)now;
}
