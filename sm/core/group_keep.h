/*
 * group_keep: groups that outlive their members, and groups that outlive the
 * daemon: those that the configuration names, and those that the state file
 * kept.
 *
 * After every start hosts are asked to register anew, and join again; until the
 * last of them has, multicast would be gone if the groups were not kept. So
 * groups and members are saved a moment after they change, and after a restart
 * they are there again, with their MLIDs. A member that left meanwhile stays
 * until its port goes or says so. A standby keeps its groups in the same way,
 * for the next time as master.
 */
#ifndef HEDDLE_SM_CORE_GROUP_KEEP_H
#define HEDDLE_SM_CORE_GROUP_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/state/state_file.h"

struct sm;

struct group_keep_saved {
	struct state_file_group *group;
	size_t ngroup;
	struct state_file_member *member;
	size_t nmember;
};
/* Give the groups of the state file, with their members, to the SA. */
void group_keep_load(struct sm *sm, const struct state_file *s);
void group_keep_configure(struct sm *sm); /* the groups of the configuration */
void group_keep_save(const struct sm *sm, struct group_keep_saved *out);
void group_keep_saved_free(struct group_keep_saved *s);

#endif
