/*
 * topogen: command line of the generators: a fabric made by rule, or one read
 * from a file and edited, printed as by ibnetdiscover. Used by `heddle-sim
 * generate`.
 */
#ifndef HEDDLE_TESTS_TOPO_TOPOGEN_H
#define HEDDLE_TESTS_TOPO_TOPOGEN_H

/* argv[1] is the kind; the fabric goes to stdout. Returns the exit code. */
int topogen_run(int argc, char **argv);

#endif
