/*
 * simrun: `heddle-sim run`, a command on a host of the simulated fabric.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SIMRUN_H
#define HEDDLE_TESTS_SIM_SERVE_SIMRUN_H

/*
 * argv[0] is "run". Returns the command's exit code, or 1 or 2 if it was not
 * run.
 */
int simrun_run(int argc, char **argv);

#endif
