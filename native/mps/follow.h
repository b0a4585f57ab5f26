// Copies what a daemon writes to its log to standard output, which is the log of the pod.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct follow {
  int file;      // the position is that of both processes
  pid_t process; // that copies while the daemon runs
};

// Begins with what is written from now on; makes the file where it is not there. False with errno set.
bool follow_start(struct follow *follow, const char *path);

// Copies the rest. To be called after the process has ended.
void follow_end(struct follow *follow);
