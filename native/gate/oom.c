#define _GNU_SOURCE
#include "oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { MEMBERSHIP_BYTES = 16 * 1024, CGROUP_PATH_BYTES = 4096 };

static bool write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  size_t length = strlen(text);
  bool is_written = write(file, text, length) == (ssize_t)length;
  return close(file) == 0 && is_written;
}

// The path of cgroup v2, which stands in a line of its own, or NULL.
static char *path_in(char *membership) {
  char *rest;
  for (char *line = strtok_r(membership, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    if (strncmp(line, "0::", 3) == 0) {
      return line + 3;
    }
  }
  return NULL;
}

bool oom_end_processes_alone(const char *membership, const char *cgroups) {
  char text[MEMBERSHIP_BYTES];
  char *path = read_text(membership, text, sizeof text) ? path_in(text) : NULL;
  char file[CGROUP_PATH_BYTES];
  if (path == NULL ||
      snprintf(file, sizeof file, "%s%s/memory.oom.group", cgroups, path) >= (int)sizeof file) {
    return false;
  }
  char value[8];
  return read_text(file, value, sizeof value) && value[0] == '1' && write_text(file, "0");
}

void oom_choose_self(void) {
  // Raising one's own value needs no right (proc_pid_oom_score_adj(5)).
  write_text("/proc/self/oom_score_adj", "1000");
  oom_end_processes_alone("/proc/self/cgroup", "/sys/fs/cgroup");
}
