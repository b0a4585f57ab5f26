#define _GNU_SOURCE
#include "child.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exits.h"
#include "log.h"

static _Noreturn void become(const struct launch *jvm, const sigset_t *mask, pid_t gate) {
  // Where the gate is not pid 1 (a pod with hostPID) no other process would end the JVM of a killed gate.
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || sigprocmask(SIG_SETMASK, mask, NULL) != 0) {
    log_failure("the JVM's process cannot be set up", jvm->program->name);
    _exit(EXIT_SYSTEM);
  }
  // The gate may have died before the line above took effect. Compared with what it was, not with 1:
  // the reaper of orphans can be any process.
  if (getppid() != gate) {
    _exit(EXIT_SYSTEM);
  }
  launch(jvm);
}

pid_t child_start(const struct launch *launch, const sigset_t *mask) {
  pid_t gate = getpid();
  pid_t child = fork();
  if (child == 0) {
    become(launch, mask, gate);
  }
  return child;
}

bool child_reap(pid_t child, int *status) {
  bool found = false;
  int ended;
  pid_t process;
  while ((process = waitpid(-1, &ended, WNOHANG)) > 0) {
    if (process == child) {
      *status = ended;
      found = true;
    }
  }
  return found;
}

int child_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void child_reason(int status, char *reason, int size) {
  if (WIFEXITED(status)) {
    snprintf(reason, (size_t)size, "exit code %d", WEXITSTATUS(status));
  } else {
    int number = WTERMSIG(status);
    snprintf(reason, (size_t)size, "signal %d (%s)", number, strsignal(number));
  }
}
