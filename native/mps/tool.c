#define _GNU_SOURCE
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../gate/clock.h"
#include "../gate/files.h"
#include "driver_root.h"

enum { EXIT_NOT_STARTED = 126, LAST_LINE_BYTES = 160 };

bool signals_start(struct signals *signals) {
  static const int WANTED[] = {SIGCHLD, SIGUSR1, SIGTERM, SIGINT, SIGHUP};
  sigset_t wanted;
  sigset_t all;
  sigemptyset(&wanted);
  sigfillset(&all);
  for (size_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
    signal(WANTED[i], SIG_DFL);
    sigaddset(&wanted, WANTED[i]);
  }
  *signals = (struct signals){.descriptor = -1};
  sigprocmask(SIG_BLOCK, &all, NULL);
  signals->descriptor = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  return signals->descriptor >= 0;
}

bool signals_take(struct signals *signals, pid_t child, int *status) {
  struct signalfd_siginfo signal;
  while (read(signals->descriptor, &signal, sizeof signal) == (ssize_t)sizeof signal) {
    signals->stop = signals->stop || (signal.ssi_signo != SIGCHLD && signal.ssi_signo != SIGUSR1);
  }
  bool found = false;
  int ended;
  pid_t process;
  while ((process = waitpid(-1, &ended, WNOHANG)) > 0) {
    if (process == signals->awaited) {
      signals->has_ended = true;
      signals->status = ended;
    }
    if (process == child) {
      *status = ended;
      found = true;
    }
  }
  return found;
}

void signals_await(const struct signals *signals, int64_t deadline) {
  struct pollfd input = {.fd = signals->descriptor, .events = POLLIN};
  poll(&input, 1, clock_poll_timeout(deadline));
}

static _Noreturn void give_up(const char *tried) {
  dprintf(STDERR_FILENO, "cannot %s: %s\n", tried, strerror(errno));
  _exit(EXIT_NOT_STARTED);
}

static _Noreturn void become(const struct tool *tool, pid_t parent) {
  static const char *const FOLDERS[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/bin"};
  const char *step = "set up the process";
  char path[256];
  sigset_t none;
  sigemptyset(&none);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0) {
    give_up(step);
  }
  // It may have died before the line above took effect.
  if (getppid() != parent || !driver_root_enter(tool->place, tool->resource, &step)) {
    give_up(step);
  }
  for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", FOLDERS[i], tool->words[0]);
    execve(path, (char *const *)tool->words, (char *const *)tool->variables);
    if (errno != ENOENT) {
      give_up("execute it");
    }
  }
  give_up("find it");
}

static pid_t start(const struct tool *tool, int input, int output) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0) {
    return child;
  }
  setpgid(0, 0);
  if (dup2(input, STDIN_FILENO) < 0 || (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))) {
    give_up("redirect its streams");
  }
  become(tool, parent);
}

// A text as something to read from; a file in memory cannot block, however much is in it.
static int readable(const char *text) {
  if (text == NULL) {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  int file = memfd_create("input", MFD_CLOEXEC);
  size_t length = strlen(text);
  if (file >= 0 && (write(file, text, length) != (ssize_t)length || lseek(file, 0, SEEK_SET) != 0)) {
    close(file);
    return -1;
  }
  return file;
}

pid_t tool_start(const struct tool *tool) {
  int input = readable(tool->input);
  if (input < 0) {
    return -1;
  }
  pid_t child = start(tool, input, -1);
  close(input);
  return child;
}

static const char *last_line(char *text) {
  size_t length = strlen(text);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
    text[--length] = '\0';
  }
  const char *newline = strrchr(text, '\n');
  return newline == NULL ? text : newline + 1;
}

static void describe(const struct tool *tool, const char *how, char *output, char *reason) {
  size_t length = 0;
  for (const char *const *word = tool->words; *word != NULL && length < REASON_BYTES / 2; word++) {
    length += (size_t)snprintf(reason + length, REASON_BYTES - length, "%s%s", word == tool->words ? "" : " ", *word);
  }
  if (length >= REASON_BYTES) {
    return;
  }
  if (tool->input != NULL) {
    length += (size_t)snprintf(reason + length, REASON_BYTES - length, " <<< '%.*s'", (int)strcspn(tool->input, "\n"), tool->input);
  }
  const char *said = last_line(output);
  if (length < REASON_BYTES) {
    snprintf(reason + length, REASON_BYTES - length, " %s%s%.*s", how, *said == '\0' ? "" : ": ", LAST_LINE_BYTES, said);
  }
}

static bool judge(const struct tool *tool, int status, char *output, char *reason) {
  char how[64];
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return true;
  }
  if (WIFEXITED(status)) {
    snprintf(how, sizeof how, "failed with exit code %d", WEXITSTATUS(status));
  } else {
    snprintf(how, sizeof how, "ended by signal %d", WTERMSIG(status));
  }
  describe(tool, how, output, reason);
  return false;
}

static bool await(const struct tool *tool, struct signals *signals, pid_t child, int64_t deadline, int output, char *answer,
                  char *reason) {
  int status = 0;
  bool has_ended = false;
  while (!(has_ended = signals_take(signals, child, &status)) && clock_now_ms() < deadline) {
    signals_await(signals, deadline);
  }
  if (!has_ended) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  ssize_t count = pread(output, answer, ANSWER_BYTES - 1, 0);
  answer[count > 0 ? count : 0] = '\0';
  if (!has_ended) {
    describe(tool, "did not end in time", answer, reason);
  }
  return has_ended && judge(tool, status, answer, reason);
}

bool tool_run(const struct tool *tool, struct signals *signals, int64_t deadline, char *reason) {
  char ignored[ANSWER_BYTES];
  return tool_ask(tool, signals, deadline, ignored, reason);
}

bool tool_ask(const struct tool *tool, struct signals *signals, int64_t deadline, char *answer, char *reason) {
  int input = readable(tool->input);
  int output = memfd_create("output", MFD_CLOEXEC);
  pid_t child = input < 0 || output < 0 ? -1 : start(tool, input, output);
  bool done = false;
  if (child < 0) {
    snprintf(reason, REASON_BYTES, "%s cannot be started: %s", tool->words[0], strerror(errno));
  } else {
    done = await(tool, signals, child, deadline, output, answer, reason);
  }
  close(input);
  close(output);
  return done;
}

void tool_kill_children(void) {
  char path[64];
  char children[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  // Killing one hands its own children to this process, hence the loop.
  for (int round = 0; round < 100 && read_text(path, children, sizeof children) && *children != '\0'; round++) {
    char *rest;
    for (char *word = strtok_r(children, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
      pid_t child = (pid_t)strtol(word, NULL, 10);
      kill(child, SIGKILL);
      // Not any child: one that has just been handed to this process runs until the next round.
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
      }
    }
  }
}
