#define _GNU_SOURCE
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

// A log that was cut is read from its start.
static void copy(int file) {
  char text[4096];
  ssize_t count;
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_size < lseek(file, 0, SEEK_CUR)) {
    lseek(file, 0, SEEK_SET);
  }
  while ((count = read(file, text, sizeof text)) > 0) {
    for (ssize_t done = 0, written; done < count; done += written) {
      written = write(STDOUT_FILENO, text + done, (size_t)(count - done));
      if (written < 0) {
        return;
      }
    }
  }
}

static _Noreturn void copy_for_ever(int file, int events, pid_t parent) {
  char ignored[4096];
  struct pollfd input = {.fd = events, .events = POLLIN};
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
    _exit(1);
  }
  for (;;) {
    copy(file);
    if (poll(&input, 1, -1) > 0 && read(events, ignored, sizeof ignored) < 0 && errno != EINTR) {
      _exit(1);
    }
  }
}

bool follow_start(struct follow *follow, const char *path) {
  pid_t parent = getpid();
  int events = inotify_init1(IN_CLOEXEC);
  follow->process = -1;
  follow->file = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  // Watched before it is read, so that no line is late.
  if (follow->file >= 0 && events >= 0 && inotify_add_watch(events, path, IN_MODIFY) >= 0 &&
      lseek(follow->file, 0, SEEK_END) >= 0) {
    follow->process = fork();
  }
  if (follow->process == 0) {
    copy_for_ever(follow->file, events, parent);
  }
  int reason = errno;
  if (events >= 0) {
    close(events);
  }
  errno = reason;
  return follow->process > 0;
}

void follow_end(struct follow *follow) {
  if (follow->file >= 0) {
    copy(follow->file);
    close(follow->file);
  }
  follow->file = -1;
}
