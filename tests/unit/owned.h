/*
 * owned: AUTO of the product's types that tests make.
 */
#ifndef HEDDLE_TESTS_UNIT_OWNED_H
#define HEDDLE_TESTS_UNIT_OWNED_H

#include <jansson.h>

#include "config/config.h"
#include "discovery/builder/builder.h"
#include "distribution/transition/transition.h"
#include "routing/core/lft.h"
#include "routing/core/lid.h"
#include "routing/core/routes.h"
#include "routing/verify/verify.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/loop.h"
#include "tests/scope.h"

AUTO_POINTER(arena, struct arena, arena_free)
AUTO_POINTER(builder, struct builder, builder_free)
AUTO_POINTER(config, struct config, config_unref)
AUTO_POINTER(json, json_t, json_decref)
AUTO_POINTER(lft_pool, struct lft_pool, lft_pool_free)
AUTO_POINTER(loop, struct loop, loop_free)
AUTO_POINTER(routes, struct routes, routes_unref)
AUTO_POINTER(topo, struct topo, topo_unref)
AUTO_POINTER(transition, struct transition_result, transition_free)
AUTO_POINTER(verify_state, struct verify_state, verify_state_unref)
AUTO_VALUE(buf, struct buf, buf_free)
AUTO_VALUE(diag_list, struct diag_list, diag_free)
AUTO_VALUE(lid_table, struct lid_table, lid_table_free)

#endif
