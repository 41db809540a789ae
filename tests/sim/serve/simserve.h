/*
 * simserve: `heddle-sim serve` by command line.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SIMSERVE_H
#define HEDDLE_TESTS_SIM_SERVE_SIMSERVE_H

/* argv[0] is "serve". Returns the exit code. */
int simserve_run(int argc, char **argv);

/*
 * Serve the fabric of a file under a name until stopped, with a profile (NULL:
 * the default). A byte is written to ready_fd (-1: none) when clients can
 * connect. Returns the exit code.
 */
int simserve_plain(
	const char *path, const char *name, const char *profile, int ready_fd);

#endif
