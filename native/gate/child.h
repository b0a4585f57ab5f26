// The JVM as a child process.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "launch.h"

// Starts it with the signal mask given; -1 with errno set. It gets TERM should the gate die first.
pid_t child_start(const struct launch *launch, const sigset_t *mask);

// Reaps all that have ended; true, with its status as wait(2) has it, when `child` was among them.
bool child_reap(pid_t child, int *status);

// Exit code, or 128 + signal.
int child_code(int status);

// "exit code 3", "signal 11 (Segmentation fault)".
void child_reason(int status, char *reason, int size);
