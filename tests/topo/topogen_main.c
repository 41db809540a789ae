/*
 * heddle-topogen: what `heddle-sim generate` does, under the name that scripts
 * have known it by.
 */
#include "tests/topo/topogen.h"

int
main(int argc, char **argv)
{
	return topogen_run(argc, argv);
}
