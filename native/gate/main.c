// The entry point of every Pitcrew container: one program of many names (see README.md).
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "detect.h"
#include "duration.h"
#include "exits.h"
#include "inroot.h"
#include "launch.h"
#include "log.h"
#include "oom.h"
#include "probe.h"
#include "supervise.h"
#include "table.h"

static struct table table;

static int usage(int descriptor, int code) {
  dprintf(descriptor, "Usage: pitcrew PROGRAM [ARGUMENT...]      run a program of the table\n"
                      "       pitcrew probe live|ready PROGRAM   ask a running one how it is\n"
                      "       pitcrew train PROGRAM [ARGUMENT...] run it once and write its AOT cache\n"
                      "       pitcrew aot-path PROGRAM           print where that cache lies\n"
                      "       pitcrew in-root FOLDER PROGRAM [ARGUMENT...] run a program of another root\n"
                      "       pitcrew detect-gpu [REPORT [SCAN]]  end once this node has an NVIDIA GPU\n"
                      "Programs:\n");
  table_print_names(&table, descriptor);
  return code;
}

// Descriptors 0 to 2 exist, so that no socket of ours can become the standard error of the JVM.
// Not close-on-exec: the JVM is to have them too.
static bool open_standard_streams(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    bool is_open = fcntl(descriptor, F_GETFD) >= 0;
    if (!is_open && open("/dev/null", O_RDWR) != descriptor) {
      return false;
    }
  }
  return true;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

// The agent's own option and variable for where the host's files lie.
static const char *host_root(char *const *arguments) {
  static const char OPTION[] = "--host-root";
  const char *root = getenv("HOST_ROOT");
  for (; *arguments != NULL; arguments++) {
    size_t length = sizeof OPTION - 1;
    if (strncmp(*arguments, OPTION, length) != 0) {
      continue;
    }
    if ((*arguments)[length] == '=') {
      root = *arguments + length + 1;
    } else if ((*arguments)[length] == '\0' && arguments[1] != NULL) {
      root = arguments[1];
    }
  }
  return root == NULL ? "" : root;
}

// A request for help is answered without a supervisor.
static bool asks_for_help(char *const *arguments) {
  for (; *arguments != NULL; arguments++) {
    if (strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0) {
      return true;
    }
  }
  return false;
}

// A command in the agent's container shares its limit.
static bool is_ended_first(const struct program *program, char *const *arguments) {
  bool is_once = program->oom == OOM_FIRST;
  for (; program->oom == OOM_FIRST_WITH_ONESHOT && *arguments != NULL; arguments++) {
    is_once |= strcmp(*arguments, "--oneshot") == 0 || strcmp(*arguments, "--oneshot=true") == 0;
  }
  return is_once;
}

static int run(const struct program *program, char *const *arguments) {
  struct launch jvm = {.table = &table, .program = program, .arguments = arguments};
  int code;
  if (ask_agent(program, arguments, &code)) {
    return code;
  }
  if (is_ended_first(program, arguments)) {
    oom_choose_self();
  }
  if (!program->is_restarted || asks_for_help(arguments)) {
    launch(&jvm);
  }
  jvm.mode = LAUNCH_WATCHED;
  return supervise(&jvm, host_root(arguments));
}

static int probe_command(const struct program *program, const char *kind) {
  bool asks_ready = strcmp(kind, "ready") == 0;
  if (!asks_ready && strcmp(kind, "live") != 0) {
    return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
  }
  return probe(program, asks_ready);
}

static int no_such(enum table_result result, const char *name) {
  if (result == TABLE_IS_WRONG) {
    return EXIT_SETTINGS;
  }
  dprintf(STDERR_FILENO, "pitcrew: there is no program '%s'\n", name);
  return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
}

// `words` begins with the command, or with the program's name.
static int command(char *const *words, int count) {
  const char *verb = words[0];
  bool is_probe = strcmp(verb, "probe") == 0;
  bool is_training = strcmp(verb, "train") == 0;
  bool is_path = strcmp(verb, "aot-path") == 0;
  int at = is_probe ? 2 : is_training || is_path ? 1 : 0;
  if (at >= count) {
    return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
  }
  struct program program;
  enum table_result result = table_find(&table, words[at], &program);
  if (result != TABLE_FOUND) {
    return no_such(result, words[at]);
  }
  if (is_probe) {
    return probe_command(&program, words[1]);
  }
  if (is_path) {
    return launch_print_aot(&table, &program);
  }
  struct launch training = {
      .table = &table, .program = &program, .arguments = words + at + 1, .mode = LAUNCH_TRAINING};
  if (is_training) {
    launch(&training);
  }
  return run(&program, words + at + 1);
}

// `words` are where to report, and how often to look.
static int detect(char *const *words, int count) {
  int64_t scan_ms = 30 * 1000;
  if (count > 2 || (count > 1 && !parse_duration(words[1], &scan_ms))) {
    return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
  }
  const char *root = getenv("HOST_ROOT");
  return detect_gpu(root == NULL ? "" : root, count > 0 ? words[0] : DETECT_REPORT, scan_ms);
}

int main(int argc, char **argv) {
  if (argc < 1 || !open_standard_streams()) {
    return EXIT_SYSTEM;
  }
  if (argc > 1 && strcmp(argv[1], "in-root") == 0) {
    int code = in_root(argv + 2, argc - 2);
    return code == EXIT_WRONG_USAGE ? usage(STDERR_FILENO, code) : code;
  }
  if (argc > 1 && strcmp(argv[1], "detect-gpu") == 0) {
    return detect(argv + 2, argc - 2);
  }
  if (!table_read(&table)) {
    return EXIT_SETTINGS;
  }
  struct program program;
  enum table_result result = table_find(&table, base_name(argv[0]), &program);
  if (result == TABLE_FOUND) {
    return run(&program, argv + 1);
  }
  if (result == TABLE_IS_WRONG) {
    return EXIT_SETTINGS;
  }
  if (argc < 2) {
    return usage(STDERR_FILENO, EXIT_WRONG_USAGE);
  }
  bool wants_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
  return wants_help ? usage(STDOUT_FILENO, 0) : command(argv + 1, argc - 1);
}
