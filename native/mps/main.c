// Keeps the MPS control daemons of a node as the agent wants them (see README.md).
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../gate/clock.h"
#include "../gate/exits.h"
#include "../gate/files.h"
#include "../gate/log.h"
#include "daemon.h"
#include "folders.h"
#include "shm.h"
#include "workers.h"

enum { EXIT_NOT_READY = 1, NAME_BYTES = 128 };

static struct desired of_resources;
static struct desired of_claims;
static struct desired next;
static struct desired desired; // of both
static bool are_claims_known;  // until then nothing of a claim is removed
static struct workers workers;

static int usage(int descriptor, int code) {
  dprintf(descriptor,
          "Usage: pitcrew-mps [ready] [OPTION=VALUE...]\n"
          "Keeps one MPS control daemon for each resource and claim that the agent shares by MPS; 'ready' asks whether all run.\n"
          "  --host-root=FOLDER      where / of the host is (default: $HOST_ROOT, else /)\n"
          "  --driver-folder=FOLDER  where driver containers put the driver, on the host (default: /run/nvidia/driver)\n"
          "  --mps-root=FOLDER       pipes and logs, shared with clients (default: /mps)\n"
          "  --desired=FILE          what the agent wants (default: /var/lib/pitcrew/mps/daemons)\n"
          "  --claims-root=FOLDER    pipes and memory of claims, in a folder shared with the host (default: /claims/mps)\n"
          "  --claims=FILE           what the agent wants for claims, in the same folder (default: /var/lib/pitcrew/mps/claims)\n");
  return code;
}

static bool option(const char *word, const char *name, const char **value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || word[length] != '=' || word[length + 1] != '/') {
    return false;
  }
  *value = word + length + 1;
  return true;
}

static bool read_options(int count, char **words, struct place *place) {
  for (int i = 0; i < count; i++) {
    if (!option(words[i], "--host-root", &place->host_root) && !option(words[i], "--driver-folder", &place->driver_folder) &&
        !option(words[i], "--mps-root", &place->mps_root) && !option(words[i], "--desired", &place->desired) &&
        !option(words[i], "--claims-root", &place->claims_root) && !option(words[i], "--claims", &place->claims)) {
      return false;
    }
  }
  return true;
}

// Held as long as this process lives, however it ends: the agent knows by it whether a supervisor watches over the
// daemons, and a second supervisor waits for the first.
static bool take_lock(const struct place *place) {
  char path[PATH_MAX];
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  snprintf(path, sizeof path, "%s/.lock", place->mps_root);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || fcntl(file, F_SETLKW, &lock) != 0) {
    log_failure("the lock cannot be taken", path);
    return false;
  }
  return true;
}

static void ready_path(const struct place *place, char *path) {
  snprintf(path, PATH_MAX, "%s/.ready", place->mps_root);
}

// A supervisor that was killed has reported daemons as running.
static void forget_domain(const struct place *place, const char *domain) {
  char path[PATH_MAX];
  char resource[RESOURCE_BYTES * 2];
  snprintf(path, sizeof path, "%s/%s", place->mps_root, domain);
  DIR *folder = opendir(path);
  for (struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (entry->d_name[0] != '.') {
      snprintf(resource, sizeof resource, "%s/%s", domain, entry->d_name);
      daemon_forget(resource, place);
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
}

static void forget_all(const struct place *place) {
  char path[PATH_MAX];
  ready_path(place, path);
  unlink(path);
  DIR *folder = opendir(place->mps_root);
  for (struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (entry->d_name[0] != '.' && strcmp(entry->d_name, "shm") != 0) {
      forget_domain(place, entry->d_name);
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
}

// False where nothing new is known: then all goes on as before.
static bool read_file(const char *path, struct desired *into) {
  static char text[DESIRED_BYTES];
  char reason[256];
  if (!read_text(path, text, sizeof text)) {
    if (errno != ENOENT) {
      log_failure("what the agent wants cannot be read; all goes on as before", path);
    }
    return false;
  }
  if (desired_parse(text, &next, reason, sizeof reason)) {
    *into = next;
    return true;
  }
  struct log_line line;
  log_start(&line, "error", "what the agent wants makes no sense; all goes on as before");
  log_text(&line, "file", path);
  log_text(&line, "reason", reason);
  log_end(&line);
  return false;
}

static void read_desired(const struct place *place) {
  read_file(place->desired, &of_resources);
  are_claims_known = read_file(place->claims, &of_claims) || are_claims_known;
  desired.count = 0;
  desired_add(&desired, &of_resources);
  desired_add(&desired, &of_claims);
}

static bool is_kept(const char *claim) {
  bool found = workers_have(&workers, claim);
  for (int i = 0; i < desired.count; i++) {
    found = found || strcmp(desired.daemons[i].resource, claim) == 0;
  }
  return found;
}

static bool runs(const struct place *place, const struct daemon_spec *spec) {
  char path[PATH_MAX];
  static char text[LINE_BYTES];
  place_of(place, spec->resource, ".started", path, sizeof path);
  return read_text(path, text, sizeof text) && strcmp(text, spec->line) == 0;
}

// Of resources only: a claim that has no daemon is its user's affair, and says so itself.
static void report_ready(const struct place *place) {
  char path[PATH_MAX];
  bool is_ready = true;
  ready_path(place, path);
  for (int i = 0; i < of_resources.count; i++) {
    is_ready = is_ready && runs(place, &of_resources.daemons[i]);
  }
  if (!is_ready) {
    unlink(path);
  } else if (access(path, F_OK) != 0) {
    place_write(path, "");
  }
}

static int watch_folder(const struct place *place) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", place->desired);
  char *slash = strrchr(folder, '/');
  *(slash == folder ? slash + 1 : slash) = '\0';
  int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  bool is_watched = events >= 0 && place_folder(folder) && inotify_add_watch(events, folder, IN_MOVED_TO | IN_CLOSE_WRITE) >= 0;
  if (!is_watched) {
    log_failure("the agent's word cannot be waited for", folder);
  }
  return is_watched ? events : -1;
}

static int take_signals(void) {
  sigset_t all;
  sigset_t wanted;
  static const int WANTED[] = {SIGCHLD, SIGUSR1, SIGTERM, SIGINT, SIGHUP};
  sigfillset(&all);
  sigemptyset(&wanted);
  for (size_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
    signal(WANTED[i], SIG_DFL);
    sigaddset(&wanted, WANTED[i]);
  }
  sigprocmask(SIG_BLOCK, &all, NULL);
  return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool read_signals(int descriptor) {
  struct signalfd_siginfo signal;
  bool stop = false;
  while (read(descriptor, &signal, sizeof signal) == (ssize_t)sizeof signal) {
    stop = stop || (signal.ssi_signo != SIGCHLD && signal.ssi_signo != SIGUSR1);
  }
  pid_t ended;
  while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    workers_ended(&workers, ended);
  }
  return stop;
}

static void drain(int events) {
  char buffer[4096];
  while (read(events, buffer, sizeof buffer) > 0) {
  }
}

static void supervise(const struct place *place, int signals, int events) {
  bool stop = false;
  read_desired(place);
  for (;;) {
    int64_t deadline = workers_follow(&workers, &desired);
    report_ready(place);
    if (!stop && are_claims_known) {
      folders_remove_claims(place, is_kept);
    }
    if (stop && workers_count(&workers) == 0) {
      return;
    }
    struct pollfd inputs[] = {{.fd = signals, .events = POLLIN}, {.fd = events, .events = POLLIN}};
    poll(inputs, 2, clock_poll_timeout(deadline));
    stop = read_signals(signals) || stop;
    if (stop) {
      desired.count = 0;
    } else if (inputs[1].revents != 0) {
      drain(events);
      read_desired(place);
    }
  }
}

static int run(const struct place *place) {
  if (!place_folder(place->mps_root) || !take_lock(place)) {
    return EXIT_SYSTEM;
  }
  forget_all(place);
  int events = watch_folder(place);
  int signals = take_signals();
  if (events < 0 || signals < 0 || !shm_mount(place) || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return EXIT_SYSTEM;
  }
  workers.place = place;
  supervise(place, signals, events);
  forget_all(place);
  return 0;
}

static int ready(const struct place *place) {
  char path[PATH_MAX];
  ready_path(place, path);
  return access(path, F_OK) == 0 ? 0 : EXIT_NOT_READY;
}

int main(int count, char **words) {
  const char *host = getenv("HOST_ROOT");
  struct place place = {.host_root = host == NULL || *host == '\0' ? "/" : host,
                        .driver_folder = "/run/nvidia/driver",
                        .mps_root = MPS_ROOT_OF_CLIENTS,
                        .desired = "/var/lib/pitcrew/mps/daemons",
                        .claims_root = "/claims/mps",
                        .claims = "/var/lib/pitcrew/mps/claims"};
  log_logger = "mps";
  bool asks = count > 1 && strcmp(words[1], "ready") == 0;
  bool wants_help = count > 1 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0);
  if (wants_help) {
    return usage(STDOUT_FILENO, 0);
  }
  int first = asks ? 2 : 1;
  if (!read_options(count - first, words + first, &place)) {
    return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
  }
  return asks ? ready(&place) : run(&place);
}
