// The GPU detector: waits on a node until it has an NVIDIA GPU, without a JVM, a token or a privilege.
#pragma once

#include <stdint.h>

// Where the kubelet reads what a container reports when it ends (`terminationMessagePath`).
#define DETECT_REPORT "/dev/termination-log"

// Returns 0 once a GPU is on the PCI bus below `root`, whose address is then in the file `report`;
// 128 + signal when it is asked to end before, another code when it cannot find out. `scan_ms` is
// how often it looks beside what the kernel announces.
int detect_gpu(const char *root, const char *report, int64_t scan_ms);
