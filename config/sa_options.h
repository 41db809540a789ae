/*
 * sa_options: subnet administration as the administrator configures it: its
 * limits, and the routers that lead to other subnets.
 */
#ifndef HEDDLE_CONFIG_SA_OPTIONS_H
#define HEDDLE_CONFIG_SA_OPTIONS_H

#include "config/schema.h"

/* The rows of the section sa. */
extern const struct schema sa_schema;

#endif
