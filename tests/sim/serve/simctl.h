/*
 * simctl: `heddle-sim ctl`, one command to a running server.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SIMCTL_H
#define HEDDLE_TESTS_SIM_SERVE_SIMCTL_H

/* argv[0] is "ctl". Returns the exit code: 0 if the server answered "ok". */
int simctl_run(int argc, char **argv);

#endif
