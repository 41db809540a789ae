/*
 * device: open umad and issm devices, which are connections to the simulator
 * (proto.h); read, write and ioctl on them do what the kernel's do (ib_umad,
 * Documentation/infiniband/user_mad.rst), with its checks and its errno.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_DEVICE_H
#define HEDDLE_TESTS_SIM_PRELOAD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct device;

/* The device that this descriptor is, or NULL: what most calls are about. */
struct device *device_at(int fd);

/* Open umad (or issm) number; flags as in open(). -1 with errno. */
int device_open(bool issm, uint32_t number, int flags);

/* The descriptor is about to be something else. */
void device_forget(int fd);

ssize_t device_read(struct device *d, int fd, void *buf, size_t n);
ssize_t device_write(struct device *d, int fd, const void *buf, size_t n);

/* *done: whether the request was one of umad's; otherwise it is libc's. */
int device_ioctl(
	struct device *d, unsigned long request, void *arg, bool *done);

#endif
