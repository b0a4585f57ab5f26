#define _GNU_SOURCE
#include "inroot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exits.h"
#include "log.h"

enum { EXIT_NOT_FOUND = 127 }; // as a shell says it

// Where hosts have their programs; the container's own PATH says nothing about that.
static const char PROGRAMS[] =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin";

int in_root(char *const *words, int count) {
  if (count < 2) {
    return EXIT_WRONG_USAGE;
  }
  if (chroot(words[0]) != 0 || chdir("/") != 0) {
    log_failure("the root cannot be changed", words[0]);
    return EXIT_SYSTEM;
  }
  if (setenv("PATH", PROGRAMS, 1) != 0) {
    log_failure("the environment cannot be changed", "PATH");
    return EXIT_SYSTEM;
  }
  execvp(words[1], words + 1);
  log_failure("the program cannot be started", words[1]);
  return EXIT_NOT_FOUND;
}
