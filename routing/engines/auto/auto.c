#include "routing/engines/auto/auto.h"

const struct engine engine_auto = {
	.module = {.name = "auto"}, .caps = ENGINE_CHOOSES};
