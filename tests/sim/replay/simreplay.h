/*
 * simreplay: heddle-sim replay: what a daemon recorded is lived again, or
 * listed. The same decisions, or where the first other one was taken; and on
 * the way the path between two ports, whenever it changed.
 */
#ifndef HEDDLE_TESTS_SIM_REPLAY_SIMREPLAY_H
#define HEDDLE_TESTS_SIM_REPLAY_SIMREPLAY_H

/* The program; argv[0] is the word replay. Its exit code: 0 the same decisions;
 * 1 others; 2 a wrong command line; 3 it cannot be replayed, or not to its
 * end. */
int simreplay_run(int argc, char **argv);

#endif
