#define _GNU_SOURCE
#include "daemon.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../gate/backoff.h"
#include "../gate/clock.h"
#include "../gate/log.h"
#include "driver_root.h"
#include "folders.h"
#include "tool.h"

enum {
  STEP_MS = 20 * 1000,  // a tool of the driver may take long on a node with many GPUs
  START_MS = 20 * 1000, // until the daemon listens
  LOOK_MS = 20,
  CHECK_MS = 30 * 1000, // what its process does not show: a daemon that hangs
  MISSED_CHECKS = 2,
  QUIT_MS = 5 * 1000,
  TEXT_BYTES = RESOURCE_BYTES + 64
};

struct daemon {
  const struct daemon_spec *spec;
  const struct place *place;
  pid_t supervisor; // gets SIGUSR1 when the daemon runs or no longer does: it says when all of them run
  struct signals signals;
  bool is_claim;
  char pipe_variable[TEXT_BYTES];
  char log_variable[TEXT_BYTES];
  char gpus_variable[DAEMON_GPUS_MAX * UUID_BYTES + 32];
  char answer[ANSWER_BYTES]; // what the front end printed
};

static void file(const struct daemon *daemon, const char *name, char *path) {
  place_of(daemon->place, daemon->spec->resource, name, path, PATH_MAX);
}

static void say(const struct daemon *daemon, const char *level, const char *message, const char *reason) {
  struct log_line line;
  log_start(&line, level, message);
  log_text(&line, "resource", daemon->spec->resource);
  if (*reason != '\0') {
    log_text(&line, "reason", reason);
  }
  log_end(&line);
}

static struct tool tool(const struct daemon *daemon, const char *const *words, const char *input) {
  return (struct tool){.place = daemon->place,
                       .resource = daemon->spec->resource,
                       .words = words,
                       .variables = {daemon->pipe_variable, daemon->log_variable,
                                     daemon->is_claim ? daemon->gpus_variable : NULL, NULL},
                       .input = input};
}

static bool command(struct daemon *daemon, const char *text, int64_t limit_ms, char *reason) {
  static const char *const WORDS[] = {"nvidia-cuda-mps-control", NULL};
  char input[128];
  snprintf(input, sizeof input, "%s\n", text);
  struct tool control = tool(daemon, WORDS, input);
  return tool_ask(&control, &daemon->signals, clock_now_ms() + limit_ms, daemon->answer, reason);
}

// Only one server may own a GPU: a second one, or a client that goes around the daemon, is refused by the driver.
// The agent sets it for claims, and undoes it as the last step of a claim.
static bool set_compute_mode(struct daemon *daemon, const char *mode, char *reason) {
  bool done = true;
  if (daemon->is_claim) {
    return true;
  }
  for (int i = 0; i < daemon->spec->gpu_count && (done || strcmp(mode, "DEFAULT") == 0); i++) {
    const char *const words[] = {"nvidia-smi", "-i", daemon->spec->gpus[i].uuid, "-c", mode, NULL};
    struct tool smi = tool(daemon, words, NULL);
    smi.variables[0] = NULL;
    done = tool_run(&smi, &daemon->signals, clock_now_ms() + STEP_MS, reason) && done;
  }
  return done;
}

static void describe_end(const struct daemon *daemon, char *reason) {
  int status = daemon->signals.status;
  if (WIFEXITED(status)) {
    snprintf(reason, REASON_BYTES, "the MPS control daemon ended with exit code %d", WEXITSTATUS(status));
  } else {
    snprintf(reason, REASON_BYTES, "the MPS control daemon ended by signal %d", WTERMSIG(status));
  }
}

static bool has_ended(struct daemon *daemon, char *reason) {
  signals_take(&daemon->signals, 0, NULL);
  if (daemon->signals.has_ended) {
    describe_end(daemon, reason);
  }
  return daemon->signals.has_ended;
}

// Of R580 it is a socket; NVIDIA's guide to MPS speaks of named pipes, too. Whatever else has that name is a client's.
static bool is_channel(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && (S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode));
}

// In the foreground, so that its end is seen by waiting for it, and that it and its servers write to the log of the pod:
// R580 makes no control.log and no server.log then (also github.com/NVIDIA/k8s-device-plugin/issues/1614).
static bool start(struct daemon *daemon, char *reason) {
  static const char *const WORDS[] = {"nvidia-cuda-mps-control", "-f", NULL};
  static const char *const MULTI_USER[] = {"nvidia-cuda-mps-control", "-f", "-M", NULL};
  struct tool control = tool(daemon, daemon->spec->is_multi_user ? MULTI_USER : WORDS, NULL);
  char path[PATH_MAX];
  daemon->signals.has_ended = false;
  daemon->signals.awaited = tool_start(&control);
  if (daemon->signals.awaited < 0) {
    snprintf(reason, REASON_BYTES, "the MPS control daemon cannot be started: %s", strerror(errno));
    return false;
  }
  place_of_clients(daemon->place, daemon->spec->resource, "pipe/control", path, sizeof path);
  int64_t deadline = clock_now_ms() + START_MS;
  while (!is_channel(path)) {
    if (has_ended(daemon, reason) || daemon->signals.stop) {
      return false;
    }
    if (clock_now_ms() > deadline) {
      snprintf(reason, REASON_BYTES, "the MPS control daemon does not listen %d s after its start", START_MS / 1000);
      return false;
    }
    signals_await(&daemon->signals, clock_now_ms() + LOOK_MS);
  }
  return true;
}

// A socket is there a moment before the daemon listens on it: bind(2) comes before listen(2).
static bool command_at_start(struct daemon *daemon, const char *text, char *reason) {
  char end[REASON_BYTES];
  int64_t deadline = clock_now_ms() + START_MS;
  while (!command(daemon, text, STEP_MS, reason)) {
    bool may_listen_soon = strstr(reason, "Cannot find MPS control daemon process") != NULL && clock_now_ms() < deadline;
    if (!may_listen_soon || has_ended(daemon, end) || daemon->signals.stop) {
      return false;
    }
    signals_await(&daemon->signals, clock_now_ms() + LOOK_MS);
  }
  return true;
}

// R580 says nothing to a limit that it does not take, and its front end ends with status 0: the limit is read back.
static bool set_memory_limit(struct daemon *daemon, const struct daemon_gpu *gpu, char *reason) {
  char wish[UUID_BYTES + 64], question[UUID_BYTES + 64], name[UUID_BYTES];
  // A daemon that sees some GPUs only counts these; NVIDIA's DRA driver names them by their UUIDs.
  snprintf(name, sizeof name, "%s", gpu->uuid);
  if (!daemon->is_claim) {
    snprintf(name, sizeof name, "%d", gpu->index);
  }
  snprintf(wish, sizeof wish, "set_default_device_pinned_mem_limit %s %ldM", name, gpu->pinned_mib);
  snprintf(question, sizeof question, "get_default_device_pinned_mem_limit %s", name);
  if (!command_at_start(daemon, wish, reason) || !command_at_start(daemon, question, reason)) {
    return false;
  }
  if (*daemon->answer == '\0') {
    snprintf(reason, REASON_BYTES, "GPU %s has no memory limit after '%s': the MPS control daemon does not take it", name, wish);
    return false;
  }
  return true;
}

static bool set_limits(struct daemon *daemon, char *reason) {
  char wish[128];
  for (int i = 0; i < daemon->spec->gpu_count; i++) {
    const struct daemon_gpu *gpu = &daemon->spec->gpus[i];
    if (gpu->pinned_mib > 0 && !set_memory_limit(daemon, gpu, reason)) {
      return false;
    }
  }
  // Without a percentage it is a question, so that a daemon is ready once it has answered.
  snprintf(wish, sizeof wish, "get_default_active_thread_percentage");
  if (daemon->spec->thread_percentage > 0) {
    snprintf(wish, sizeof wish, "set_default_active_thread_percentage %d", daemon->spec->thread_percentage);
  }
  return command_at_start(daemon, wish, reason);
}

static bool mark_started(const struct daemon *daemon, char *reason) {
  char path[PATH_MAX];
  file(daemon, ".started", path);
  if (!place_write(path, daemon->spec->line)) {
    snprintf(reason, REASON_BYTES, "%s cannot be written: %s", path, strerror(errno));
    return false;
  }
  file(daemon, ".trouble", path);
  unlink(path);
  return true;
}

// Until it ends, hangs, or is no longer wanted.
static void watch_over(struct daemon *daemon, char *reason) {
  int missed = 0;
  int64_t check = clock_now_ms() + CHECK_MS;
  while (!has_ended(daemon, reason) && !daemon->signals.stop && missed < MISSED_CHECKS) {
    signals_await(&daemon->signals, check);
    if (clock_now_ms() >= check) {
      bool answers = command(daemon, "get_default_active_thread_percentage", STEP_MS, reason);
      missed = answers ? 0 : missed + 1;
      check = clock_now_ms() + CHECK_MS;
    }
  }
}

// R580: a client hangs in its next call when its server ends, and fails there, with CUDA error 810, when it is terminated.
static void terminate_clients(struct daemon *daemon, int64_t deadline) {
  char servers[ANSWER_BYTES], clients[ANSWER_BYTES], text[64], ignored[REASON_BYTES];
  char *rest, *more;
  command(daemon, "get_server_list", deadline - clock_now_ms(), ignored);
  memcpy(servers, daemon->answer, sizeof servers);
  for (char *server = strtok_r(servers, " \n", &rest); server != NULL; server = strtok_r(NULL, " \n", &rest)) {
    snprintf(text, sizeof text, "get_client_list %.16s", server);
    command(daemon, text, deadline - clock_now_ms(), ignored);
    memcpy(clients, daemon->answer, sizeof clients);
    for (char *client = strtok_r(clients, " \n", &more); client != NULL; client = strtok_r(NULL, " \n", &more)) {
      snprintf(text, sizeof text, "terminate_client %.16s %.16s", server, client);
      command(daemon, text, deadline - clock_now_ms(), ignored);
    }
  }
}

static void quit(struct daemon *daemon) {
  char ignored[REASON_BYTES];
  int64_t deadline = clock_now_ms() + QUIT_MS;
  if (daemon->signals.awaited > 0 && !daemon->signals.has_ended && daemon->signals.stop) {
    terminate_clients(daemon, deadline);
    command(daemon, "quit", deadline - clock_now_ms(), ignored);
    while (!has_ended(daemon, ignored) && clock_now_ms() < deadline) {
      signals_await(&daemon->signals, deadline);
    }
  }
  tool_kill_children();
  daemon->signals.awaited = 0;
}

// From nothing to a running daemon to its end.
static void live(struct daemon *daemon, char *reason) {
  snprintf(reason, REASON_BYTES, "asked to stop");
  bool runs = driver_root_is_there(daemon->place, reason, REASON_BYTES) &&
              set_compute_mode(daemon, "EXCLUSIVE_PROCESS", reason) && folders_prepare(daemon->place, daemon->spec->resource, reason) &&
              start(daemon, reason) && set_limits(daemon, reason) && mark_started(daemon, reason);
  if (runs) {
    say(daemon, "info", "the MPS control daemon runs", "");
    kill(daemon->supervisor, SIGUSR1);
    watch_over(daemon, reason);
  }
}

static void report_trouble(const struct daemon *daemon, const char *reason) {
  char path[PATH_MAX];
  say(daemon, "warn", "the MPS control daemon does not run; trying again", reason);
  file(daemon, "", path);
  if (place_folder(path)) {
    file(daemon, ".trouble", path);
    place_write(path, reason);
  }
}

// A reader that sees the mark removed finds the reason.
static void end(struct daemon *daemon) {
  char path[PATH_MAX];
  file(daemon, ".started", path);
  unlink(path);
  quit(daemon);
  kill(daemon->supervisor, SIGUSR1);
}

static void wait_before_next(struct daemon *daemon, int64_t wait_ms) {
  int64_t deadline = clock_now_ms() + wait_ms;
  while (!daemon->signals.stop && clock_now_ms() < deadline) {
    signals_await(&daemon->signals, deadline);
    signals_take(&daemon->signals, 0, NULL);
  }
}

void daemon_forget(const char *resource, const struct place *place) {
  static const char *const NAMES[] = {".started", ".trouble"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    place_of(place, resource, NAMES[i], path, sizeof path);
    unlink(path);
  }
}

// What the daemon has of an environment.
static void set_variables(struct daemon *daemon) {
  const struct daemon_spec *spec = daemon->spec;
  static const char PIPES[] = "CUDA_MPS_PIPE_DIRECTORY=", LOGS[] = "CUDA_MPS_LOG_DIRECTORY=";
  if (!daemon->is_claim) {
    snprintf(daemon->pipe_variable, sizeof daemon->pipe_variable, "%s" MPS_ROOT_OF_CLIENTS "/%s/pipe", PIPES, spec->resource);
    snprintf(daemon->log_variable, sizeof daemon->log_variable, "%s" MPS_ROOT_OF_CLIENTS "/%s/log", LOGS, spec->resource);
    return;
  }
  snprintf(daemon->pipe_variable, sizeof daemon->pipe_variable, "%s/tmp/nvidia-mps", PIPES);
  snprintf(daemon->log_variable, sizeof daemon->log_variable, "%s/var/log/nvidia-mps", LOGS);
  char *at = stpcpy(daemon->gpus_variable, "CUDA_VISIBLE_DEVICES=");
  for (int i = 0; i < spec->gpu_count; i++) {
    at = stpcpy(stpcpy(at, i == 0 ? "" : ","), spec->gpus[i].uuid);
  }
}

void daemon_keep(const struct daemon_spec *spec, const struct place *place, pid_t supervisor) {
  struct daemon daemon = {
      .spec = spec, .place = place, .supervisor = supervisor, .is_claim = place_is_claim(spec->resource)};
  struct backoff backoff = {.first_ms = 250, .cap_ms = 30 * 1000, .reset_ms = 60 * 1000};
  char reason[REASON_BYTES];
  // What the daemon started and left behind is reparented to this process and not to pid 1.
  if (!signals_start(&daemon.signals) || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    log_failure("a daemon cannot be watched over", spec->resource);
    exit(1);
  }
  // The kernel sends no signal for a parent that ended before the prctl above: see prctl(2).
  if (getppid() != supervisor) {
    exit(1);
  }
  set_variables(&daemon);
  while (!daemon.signals.stop) {
    int64_t began = clock_now_ms();
    live(&daemon, reason);
    if (!daemon.signals.stop) {
      report_trouble(&daemon, reason);
    }
    end(&daemon);
    if (!daemon.signals.stop) {
      wait_before_next(&daemon, backoff_after(&backoff, clock_now_ms() - began));
    }
  }
  set_compute_mode(&daemon, "DEFAULT", reason);
  daemon_forget(spec->resource, place);
  say(&daemon, "info", "the MPS control daemon is no longer wanted here", "");
  exit(0);
}
