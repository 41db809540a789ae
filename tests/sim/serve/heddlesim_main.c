/*
 * heddle-sim: the simulated fabric as a program.
 */
#include <stdio.h>
#include <string.h>

#include "tests/sim/replay/simreplay.h"
#include "tests/sim/serve/simctl.h"
#include "tests/sim/serve/simrun.h"
#include "tests/sim/serve/simserve.h"
#include "tests/topo/topogen.h"

static const char usage[] =
	"usage: heddle-sim serve FABRIC [--name NAME] [--profile full|ibsim]\n"
	"           [--seed N] [--hop US] [--service US] [--timeout MS]\n"
	"           [--retries N] [--ctl PATH] [--planar]\n"
	"       heddle-sim generate KIND [options] > FABRIC\n"
	"       heddle-sim ctl [--name NAME | PATH] COMMAND...\n"
	"       heddle-sim run [--host NODE] [--preload umad2sim|heddle]\n"
	"           NAME | [--profile full|ibsim] FABRIC -- COMMAND...\n"
	"       heddle-sim replay BUNDLE [--until TIME] [--trace A B]\n"
	"           [--events] [--list] [--log]\n";

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int, char **);
	} verbs[] = {
		{"serve", simserve_run},
		{"generate", topogen_run},
		{"ctl", simctl_run},
		{"run", simrun_run},
		{"replay", simreplay_run},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (argc > 1 && strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	}
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		(void)fputs(usage, stdout);
		return 0;
	}
	(void)fputs(usage, stderr);
	return 2;
}
