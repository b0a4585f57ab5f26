#define _GNU_SOURCE
#include "workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../gate/clock.h"
#include "../gate/files.h"
#include "../gate/log.h"
#include "daemon.h"

enum {
  GRACE_MS = 20 * 1000, // a daemon quits, its GPUs get their mode back
  PAUSE_MS = 1000,
  SLOTS = DAEMONS_MAX * 4
};

static const struct daemon_spec *wanted(const struct desired *desired, const char *resource) {
  for (int i = 0; i < desired->count; i++) {
    if (strcmp(desired->daemons[i].resource, resource) == 0) {
      return &desired->daemons[i];
    }
  }
  return NULL;
}

static struct worker *of(struct workers *workers, const char *resource) {
  for (int i = 0; i < SLOTS; i++) {
    if (workers->all[i].process != 0 && strcmp(workers->all[i].spec.resource, resource) == 0) {
      return &workers->all[i];
    }
  }
  return NULL;
}

static struct worker *free_slot(struct workers *workers) {
  for (int i = 0; i < SLOTS; i++) {
    if (workers->all[i].process == 0) {
      return &workers->all[i];
    }
  }
  return NULL;
}

static void end_unwanted(struct workers *workers, const struct desired *desired) {
  for (int i = 0; i < SLOTS; i++) {
    struct worker *worker = &workers->all[i];
    const struct daemon_spec *spec = worker->process == 0 ? NULL : wanted(desired, worker->spec.resource);
    if (worker->process == 0 || (spec != NULL && strcmp(spec->line, worker->spec.line) == 0)) {
      continue;
    }
    if (worker->kill_at == NEVER) {
      kill(worker->process, SIGTERM);
      worker->kill_at = clock_now_ms() + GRACE_MS;
    } else if (clock_now_ms() >= worker->kill_at) {
      kill(worker->process, SIGKILL);
    }
  }
}

static void start(struct workers *workers, const struct daemon_spec *spec) {
  struct worker *worker = free_slot(workers);
  if (worker == NULL) {
    return;
  }
  worker->spec = *spec;
  worker->kill_at = NEVER;
  pid_t supervisor = getpid();
  worker->process = fork();
  if (worker->process == 0) {
    daemon_keep(spec, workers->place, supervisor);
  }
  if (worker->process < 0) {
    worker->process = 0;
    workers->not_before = clock_now_ms() + PAUSE_MS;
    log_failure("a daemon cannot be watched over", spec->resource);
  }
}

int64_t workers_follow(struct workers *workers, const struct desired *desired) {
  end_unwanted(workers, desired);
  int64_t next = NEVER;
  for (int i = 0; i < SLOTS; i++) {
    if (workers->all[i].process != 0 && workers->all[i].kill_at < next) {
      next = workers->all[i].kill_at;
    }
  }
  for (int i = 0; i < desired->count; i++) {
    bool is_missing = of(workers, desired->daemons[i].resource) == NULL;
    if (is_missing && clock_now_ms() >= workers->not_before) {
      start(workers, &desired->daemons[i]);
    } else if (is_missing && workers->not_before < next) {
      next = workers->not_before;
    }
  }
  return next;
}

static bool is_worker(const struct workers *workers, pid_t process) {
  for (int i = 0; i < SLOTS; i++) {
    if (workers->all[i].process == process) {
      return true;
    }
  }
  return false;
}

// What a worker that was killed has left: its daemon died with it, the daemon's servers came to this process.
static void kill_orphans(const struct workers *workers) {
  char path[64];
  char children[4096];
  char *rest;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  if (!read_text(path, children, sizeof children)) {
    return;
  }
  for (char *word = strtok_r(children, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    pid_t process = (pid_t)strtol(word, NULL, 10);
    if (!is_worker(workers, process)) {
      kill(process, SIGKILL);
    }
  }
}

void workers_ended(struct workers *workers, pid_t process) {
  for (int i = 0; i < SLOTS; i++) {
    struct worker *worker = &workers->all[i];
    if (worker->process != process) {
      continue;
    }
    worker->process = 0;
    daemon_forget(worker->spec.resource, workers->place);
    if (worker->kill_at == NEVER) {
      workers->not_before = clock_now_ms() + PAUSE_MS;
    }
    kill_orphans(workers);
  }
}

bool workers_have(struct workers *workers, const char *resource) {
  return of(workers, resource) != NULL;
}

int workers_count(const struct workers *workers) {
  int count = 0;
  for (int i = 0; i < SLOTS; i++) {
    count += workers->all[i].process != 0;
  }
  return count;
}
