// Who the kernel ends first where the memory of a container runs out.
#pragma once

#include <stdbool.h>

// From now on this process and what it becomes are ended first, and alone: the agent, whose container a
// command shares, goes on. Where that is refused the command runs as it is.
void oom_choose_self(void);

// Has the kernel end one process, not all of the container, where the kubelet says otherwise: it sets
// memory.oom.group of containers on cgroup v2 (kubelet 1.28 or newer without singleProcessOOMKill).
//
// `membership` is a file like /proc/self/cgroup, `cgroups` where cgroup v2 is mounted. False where there is
// nothing to change, or it cannot be.
bool oom_end_processes_alone(const char *membership, const char *cgroups);
