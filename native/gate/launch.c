#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aot.h"
#include "classpath.h"
#include "exits.h"
#include "log.h"

// What this process allocates and touches here dies with it or makes place for the JVM.
static char class_path[CLASS_PATH_BYTES];

enum { OWN_WORDS = 8 + PROGRAM_ARGUMENTS, PATH_BYTES = 4096 };

struct words {
  char **list;
  int count;
};

static _Noreturn void give_up(int code) {
  // Not exit(): buffers and handlers belong to the parent, whose copy this process may be.
  _exit(code);
}

static void add(struct words *words, const char *word) {
  words->list[words->count++] = (char *)word;
}

static void add_all(struct words *words, char *const *list) {
  for (; *list != NULL; list++) {
    add(words, *list);
  }
}

static int count_of(char *const *list) {
  int count = 0;
  while (list[count] != NULL) {
    count++;
  }
  return count;
}

// `prefix` and the path of a file that has to be there.
static const char *file_word(const struct table *table, const char *prefix, const char *name) {
  char path[PATH_BYTES];
  char *word;
  errno = ENAMETOOLONG;
  if (!table_resolve(table, name, path, sizeof path) || access(path, R_OK) != 0 ||
      asprintf(&word, "%s%s", prefix, path) < 0) {
    log_failure("a file that the table names cannot be used", name);
    give_up(EXIT_SETTINGS);
  }
  return word;
}

// The option for the cache and its path in `path`, or NULL: a missing cache costs time, not function.
static const char *aot_word(const struct launch *launch, char path[AOT_PATH_BYTES]) {
  bool trains = launch->mode == LAUNCH_TRAINING;
  if (!(trains || aot_has_any(launch->table, launch->program)) ||
      !aot_path(launch->table, launch->program, class_path, path) ||
      !(trains || access(path, R_OK) == 0)) {
    path[0] = '\0';
    return NULL;
  }
  char *word;
  int length = asprintf(&word, "-XX:%s=%s", trains ? "AOTCacheOutput" : "AOTCache", path);
  return length < 0 ? NULL : word;
}

static void say_started(const struct program *program, const char *aot) {
  struct log_line line;
  log_start(&line, "info", "starting the JVM");
  log_text(&line, "program", program->name);
  log_number(&line, "pid", getpid());
  log_text(&line, "aotCache", *aot == '\0' ? "none" : aot);
  log_end(&line);
}

static struct words words_of(const struct launch *launch) {
  const struct program *program = launch->program;
  char path[AOT_PATH_BYTES];
  struct words words = {.list = calloc((size_t)count_of(launch->arguments) + OWN_WORDS, sizeof(char *))};
  if (words.list == NULL) {
    give_up(EXIT_SYSTEM);
  }
  add(&words, file_word(launch->table, "", program->java));
  if (program->flags != NULL) {
    add(&words, file_word(launch->table, "@", program->flags));
  }
  const char *aot = aot_word(launch, path);
  if (aot != NULL) {
    add(&words, aot);
  }
  add(&words, "-cp");
  add(&words, class_path);
  add(&words, program->main_class);
  add_all(&words, (char *const *)program->arguments);
  add_all(&words, launch->arguments);
  if (launch->last != NULL) {
    add(&words, launch->last);
  }
  if (launch->mode == LAUNCH_WATCHED) {
    say_started(program, path);
  }
  return words;
}

_Noreturn void launch(const struct launch *launch) {
  if (launch->mode == LAUNCH_TRAINING && launch->program->aot == NULL) {
    errno = EINVAL;
    log_failure("the table names no folder for AOT caches (aot=)", launch->program->name);
    give_up(EXIT_SETTINGS);
  }
  if (!classpath_of(launch->table, launch->program, class_path)) {
    give_up(EXIT_SETTINGS);
  }
  struct words words = words_of(launch);
  execv(words.list[0], words.list);
  log_failure("the JVM cannot be started", words.list[0]);
  give_up(EXIT_SETTINGS);
}

int launch_print_aot(const struct table *table, const struct program *program) {
  char path[AOT_PATH_BYTES];
  if (program->aot == NULL || !classpath_of(table, program, class_path) ||
      !aot_path(table, program, class_path, path)) {
    return EXIT_SETTINGS;
  }
  return puts(path) < 0 ? EXIT_SYSTEM : 0;
}
