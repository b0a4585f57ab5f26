#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "exits.h"
#include "log.h"
#include "uevent.h"

// The JVM takes TERM, INT and HUP as the order to end, and QUIT as the wish for a thread dump.
static bool is_stop(int number) {
  return number == SIGTERM || number == SIGINT || number == SIGHUP;
}

// A parent may have left signals ignored (a shell does so for what it starts with `&`). An ignored CHLD
// would make children vanish without their status, and the JVM honours the others.
static bool reset_dispositions(void) {
  static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (signal(numbers[i], SIG_DFL) == SIG_ERR) {
      return false;
    }
  }
  return true;
}

bool watch_start(struct watch *watch) {
  sigset_t wanted;
  sigset_t all;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGHUP);
  sigaddset(&wanted, SIGQUIT);
  // All are blocked, so that none (USR1, PIPE, TTOU) can end the gate by its default action.
  sigfillset(&all);
  *watch = (struct watch){.probes = -1, .events = -1, .state = STATE_UNKNOWN};
  if (reset_dispositions() && sigprocmask(SIG_BLOCK, &all, &watch->inherited) == 0) {
    watch->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  } else {
    watch->signals = -1;
  }
  if (watch->signals < 0) {
    log_failure("signals cannot be received", "signalfd");
  }
  return watch->signals >= 0;
}

static void forward(const struct watch *watch, int number) {
  // ESRCH: it has just ended, which is what CHLD will say.
  if (watch->child != 0 && kill(watch->child, number) != 0 && errno != ESRCH) {
    log_failure("a signal cannot be forwarded to the JVM", "kill");
  }
}

// Reads all signals that have arrived. Returns false when the supervisor need not be woken.
static bool take_signals(struct watch *watch, enum woken *woken) {
  struct signalfd_siginfo signal;
  bool stopped = false;
  bool ended = false;
  while (read(watch->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
    int number = (int)signal.ssi_signo;
    if (number == SIGCHLD) {
      ended = child_reap(watch->child, &watch->status) || ended;
      watch->child = ended ? 0 : watch->child;
      continue;
    }
    forward(watch, number);
    if (is_stop(number)) {
      watch->stop = number;
      stopped = true;
    }
  }
  *woken = ended ? WOKEN_BY_CHILD : WOKEN_BY_STOP;
  return ended || stopped;
}

static int wait_for_input(struct pollfd inputs[3], int64_t deadline) {
  int count = poll(inputs, 3, clock_poll_timeout(deadline));
  if (count < 0 && errno != EINTR && errno != ENOMEM) {
    log_failure("the gate cannot wait", "poll");
    exit(EXIT_SYSTEM);
  }
  return count;
}

enum woken watch_await(struct watch *watch, int64_t deadline) {
  for (;;) {
    // poll passes over descriptors below 0.
    struct pollfd inputs[3] = {{.fd = watch->signals, .events = POLLIN},
                               {.fd = watch->probes, .events = POLLIN},
                               {.fd = watch->events, .events = POLLIN}};
    enum woken woken;
    int count = wait_for_input(inputs, deadline);
    if (count > 0 && inputs[0].revents != 0 && take_signals(watch, &woken)) {
      return woken;
    }
    if (count > 0 && inputs[1].revents != 0) {
      state_answer(watch->probes, watch->state, watch->state_text);
    }
    if (count > 0 && inputs[2].revents != 0 && uevent_is_pci(watch->events)) {
      return WOKEN_BY_DEVICE;
    }
    if (clock_now_ms() >= deadline) {
      return WOKEN_BY_DEADLINE;
    }
  }
}
