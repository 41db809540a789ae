/*
 * simrun: `heddle-sim run`, a command on a host of the simulated fabric.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SIMRUN_H
#define HEDDLE_TESTS_SIM_SERVE_SIMRUN_H

/* argv[0] is "run". The command's exit code, or 1 or 2 before that. */
int simrun_run(int argc, char **argv);

#endif
