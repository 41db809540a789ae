/*
 * device: open umad and issm devices, which are connections to the simulator
 * (proto.h); read, write and ioctl on them do the same as the kernel's
 * (ib_umad, Documentation/infiniband/user_mad.rst), with its checks and its
 * errno.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_DEVICE_H
#define HEDDLE_TESTS_SIM_PRELOAD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct device;

/* The device of a descriptor, or NULL: most calls are not about one. */
struct device *device_at(int fd);

/* Open umad (or issm) number; flags as in open(). -1 with errno. */
int device_open(bool issm, uint32_t number, int flags);

/* The descriptor is about to be closed or replaced. */
void device_forget(int fd);

ssize_t device_read(struct device *d, int fd, void *buf, size_t n);
ssize_t device_write(struct device *d, int fd, const void *buf, size_t n);

/* *done: true if the request was one of umad's; otherwise libc is to do it. */
int device_ioctl(
	struct device *d, unsigned long request, void *arg, bool *done);

#endif
