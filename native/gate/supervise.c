#define _GNU_SOURCE
#include "supervise.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backoff.h"
#include "child.h"
#include "clock.h"
#include "evict.h"
#include "exits.h"
#include "gpu.h"
#include "log.h"
#include "uevent.h"
#include "watch.h"

struct supervisor {
  const struct launch *launch;
  const struct program *program;
  const char *host_root;
  struct watch watch;
  struct backoff backoff;
  bool is_clear; // nothing that the agent wrote is left on this node
};

enum { FOR_GOOD = -1 };

struct ending {
  int code;
  int64_t ran_ms;
  char reason[64];
};

static void describe(struct supervisor *self, enum state state, const char *text) {
  self->watch.state = state;
  snprintf(self->watch.state_text, sizeof self->watch.state_text, "%s", text);
}

static void say(const struct supervisor *self, const char *level, const char *message) {
  struct log_line line;
  log_start(&line, level, message);
  log_text(&line, "program", self->program->name);
  log_end(&line);
}

// @param wait_ms until the JVM is started again, or FOR_GOOD
static void say_ended(const struct supervisor *self, const struct ending *ending, int64_t wait_ms) {
  bool is_meant = ending->code == 0 || self->watch.stop != 0;
  struct log_line line;
  log_start(&line, wait_ms >= 0 ? "warn" : is_meant ? "info" : "error",
            wait_ms >= 0 ? "the JVM ended and will be started again" : "the JVM ended");
  log_text(&line, "program", self->program->name);
  log_text(&line, "reason", ending->reason);
  log_number(&line, "ranMs", ending->ran_ms);
  if (wait_ms >= 0) {
    log_number(&line, "nextStartMs", wait_ms);
  }
  log_end(&line);
}

// Until the JVM has ended. Once asked to stop it has its grace period, then it is killed.
static void await_end(struct supervisor *self) {
  int64_t deadline = NEVER;
  while (self->watch.child != 0) {
    enum woken woken = watch_await(&self->watch, deadline);
    if (woken == WOKEN_BY_STOP && deadline == NEVER) {
      deadline = clock_now_ms() + self->program->grace_ms;
    }
    if (woken == WOKEN_BY_DEADLINE) {
      say(self, "warn", "the JVM did not end in its grace period and is killed");
      kill(self->watch.child, SIGKILL);
      deadline = NEVER;
    }
  }
}

static struct ending run(struct supervisor *self, const char *last) {
  struct launch launch = *self->launch;
  launch.last = last;
  int64_t start = clock_now_ms();
  struct ending ending = {.code = EXIT_SYSTEM, .reason = "no process"};
  pid_t child = child_start(&launch, &self->watch.inherited);
  if (child < 0) {
    log_failure("no process for the JVM", self->program->name);
    return ending;
  }
  self->watch.child = child;
  describe(self, STATE_RUNNING, "running");
  await_end(self);
  ending.ran_ms = clock_now_ms() - start;
  ending.code = child_code(self->watch.status);
  child_reason(self->watch.status, ending.reason, sizeof ending.reason);
  return ending;
}

static bool lacks_gpu(const struct supervisor *self) {
  char address[PCI_ADDRESS_BYTES];
  return self->program->waits_for_gpu && !gpu_is_present(self->host_root, address);
}

static int64_t earlier(int64_t left, int64_t right) {
  return left < right ? left : right;
}

// Until the deadline, a stop, or for a program that waits for a GPU, one.
static void wait_until(struct supervisor *self, int64_t deadline, bool until_gpu) {
  while (self->watch.stop == 0 && clock_now_ms() < deadline && !(until_gpu && !lacks_gpu(self))) {
    // Uevents can be lost or not be had; the scan finds every device in the end.
    int64_t scan = until_gpu ? clock_now_ms() + self->program->scan_ms : NEVER;
    watch_await(&self->watch, earlier(deadline, scan));
  }
}

// Listens before the first look, so that no device falls between the two.
static void wait_for_gpu(struct supervisor *self, int64_t deadline) {
  self->watch.events = uevent_open();
  if (self->watch.events < 0) {
    log_failure("no uevents: a GPU is found by the scan only", self->program->name);
  }
  wait_until(self, deadline, true);
  if (self->watch.events >= 0) {
    close(self->watch.events);
    self->watch.events = -1;
  }
}

static void idle(struct supervisor *self) {
  describe(self, STATE_WAITING, "waiting for an NVIDIA PCI device");
  say(self, "info", "no NVIDIA PCI device on this node: waiting for one");
  evict_files(self->launch->table, self->program);
  wait_for_gpu(self, NEVER);
  if (self->watch.stop == 0) {
    say(self, "info", "an NVIDIA PCI device is there");
  }
}

static void back_off(struct supervisor *self, const struct ending *ending, bool was_clearing) {
  int64_t wait_ms = backoff_after(&self->backoff, ending->ran_ms);
  char text[STATE_TEXT_BYTES];
  snprintf(text, sizeof text, "the JVM ended with %s after %lld ms; started again %lld ms later",
           ending->reason, (long long)ending->ran_ms, (long long)wait_ms);
  describe(self, STATE_BACKING_OFF, text);
  say_ended(self, ending, wait_ms);
  if (was_clearing) {
    wait_for_gpu(self, clock_now_ms() + wait_ms);
  } else {
    wait_until(self, clock_now_ms() + wait_ms, false);
  }
}

static bool set_up(struct supervisor *self) {
  if (!watch_start(&self->watch)) {
    return false;
  }
  if (getpid() != 1 && prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    log_failure("orphans cannot be reaped", "PR_SET_CHILD_SUBREAPER");
  }
  self->watch.probes = state_listen(self->program);
  if (self->watch.probes < 0) {
    log_failure("the probe cannot ask the gate, only the JVM", self->program->name);
  }
  return true;
}

// One run of the JVM. True when the gate has to end with `code`.
static bool has_ended(struct supervisor *self, bool is_clearing, int *code) {
  struct ending ending = run(self, is_clearing ? self->program->clear : NULL);
  *code = ending.code;
  self->is_clear = is_clearing ? ending.code == 0 : self->program->clear == NULL;
  bool is_done = is_clearing && ending.code == 0;
  if (self->watch.stop != 0 || (exit_is_final(ending.code) && !is_done)) {
    say_ended(self, &ending, FOR_GOOD);
    return true;
  }
  if (!is_done) {
    back_off(self, &ending, is_clearing);
  }
  return false;
}

int supervise(const struct launch *launch, const char *host_root) {
  const struct program *program = launch->program;
  struct supervisor self = {
      .launch = launch,
      .program = program,
      .host_root = host_root,
      .backoff = {.first_ms = program->backoff_first_ms,
                  .cap_ms = program->backoff_cap_ms,
                  .reset_ms = program->backoff_reset_ms},
      .is_clear = program->clear == NULL,
  };
  if (!set_up(&self)) {
    return EXIT_SYSTEM;
  }
  int code = 0;
  while (self.watch.stop == 0) {
    bool is_idle = lacks_gpu(&self);
    if (is_idle && self.is_clear) {
      idle(&self);
    } else if (has_ended(&self, is_idle, &code)) {
      return code;
    }
  }
  // Stopped while no JVM ran.
  return 128 + self.watch.stop;
}
