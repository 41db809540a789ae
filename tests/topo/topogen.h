/*
 * topogen: the generators by command line: a fabric made by rule, or one read
 * from a file and edited, as ibnetdiscover would print it. It serves
 * `heddle-sim generate`.
 */
#ifndef HEDDLE_TESTS_TOPO_TOPOGEN_H
#define HEDDLE_TESTS_TOPO_TOPOGEN_H

/* argv[1] is the kind; the fabric goes to stdout. The exit code. */
int topogen_run(int argc, char **argv);

#endif
