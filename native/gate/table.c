#define _GNU_SOURCE
#include "table.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "duration.h"
#include "files.h"
#include "log.h"

static const char BLANKS[] = " \t\r";

static const struct program DEFAULTS = {
    .java = "jre/bin/java",
    .is_restarted = true,
    .grace_ms = 25 * 1000, // ends before the 30 s after which a kubelet kills by default
    .scan_ms = 30 * 1000,
    .backoff_first_ms = 1000,
    .backoff_cap_ms = 60 * 1000,
    .backoff_reset_ms = 5 * 60 * 1000,
};

bool table_read(struct table *table) {
  const char *home = getenv("PITCREW_HOME");
  home = home == NULL || *home == '\0' ? "/opt/pitcrew" : home;
  int length = snprintf(table->home, sizeof table->home, "%s", home);
  if (length >= (int)sizeof table->home) {
    errno = ENAMETOOLONG;
    log_failure("the folder of $PITCREW_HOME cannot be used", home);
    return false;
  }
  snprintf(table->path, sizeof table->path, "%s/etc/programs", table->home);
  if (!read_text(table->path, table->text, sizeof table->text)) {
    log_failure("the table of programs cannot be read", table->path);
    return false;
  }
  return true;
}

bool table_resolve(const struct table *table, const char *path, char *resolved, int size) {
  bool is_absolute = path[0] == '/';
  int length = snprintf(resolved, (size_t)size, "%s%s%s", is_absolute ? "" : table->home,
                        is_absolute ? "" : "/", path);
  return length < size;
}

static bool add_argument(struct program *program, const char *value) {
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++) {
    if (program->arguments[i] == NULL) {
      program->arguments[i] = value;
      return true;
    }
  }
  return false;
}

static bool set_flag(bool *flag, const char *value) {
  *flag = strcmp(value, "yes") == 0;
  return *flag || strcmp(value, "no") == 0;
}

static bool set_wait(struct program *program, const char *value) {
  program->waits_for_gpu = strcmp(value, "gpu") == 0;
  return program->waits_for_gpu;
}

static bool set_oom(struct program *program, const char *value) {
  bool is_first = strcmp(value, "first") == 0;
  program->oom = is_first ? OOM_FIRST : OOM_FIRST_WITH_ONESHOT;
  return is_first || strcmp(value, "oneshot") == 0;
}

static bool set_text(const char **text, const char *value) {
  *text = value;
  return *value != '\0';
}

static bool set_time(struct program *program, const char *key, const char *value) {
  const struct {
    const char *key;
    int64_t *time;
  } times[] = {
      {"grace", &program->grace_ms},
      {"scan", &program->scan_ms},
      {"backoff", &program->backoff_first_ms},
      {"backoff-cap", &program->backoff_cap_ms},
      {"backoff-reset", &program->backoff_reset_ms},
  };
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (strcmp(times[i].key, key) == 0) {
      return parse_duration(value, times[i].time);
    }
  }
  return false;
}

static const char **text_of(struct program *program, const char *key) {
  const struct {
    const char *key;
    const char **text;
  } texts[] = {
      {"jars", &program->jars}, {"java", &program->java},   {"flags", &program->flags},
      {"aot", &program->aot},   {"clear", &program->clear}, {"asks", &program->asks},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(texts[i].key, key) == 0) {
      return texts[i].text;
    }
  }
  return NULL;
}

static bool set(struct program *program, const char *key, const char *value) {
  const char **text = text_of(program, key);
  if (text != NULL) {
    return set_text(text, value);
  }
  if (strcmp(key, "arg") == 0) {
    return add_argument(program, value);
  }
  if (strcmp(key, "health") == 0) {
    return parse_number(value, 65535, &program->health_port);
  }
  if (strcmp(key, "oom") == 0) {
    return set_oom(program, value);
  }
  if (strcmp(key, "restart") == 0) {
    return set_flag(&program->is_restarted, value);
  }
  return strcmp(key, "wait") == 0 ? set_wait(program, value) : set_time(program, key, value);
}

static enum table_result wrong(const struct table *table, int number, const char *what,
                               const char *word) {
  struct log_line line;
  log_start(&line, "error", "the table of programs is wrong");
  log_text(&line, "file", table->path);
  log_number(&line, "line", number);
  log_text(&line, "error", what);
  log_text(&line, "word", word);
  log_end(&line);
  return TABLE_IS_WRONG;
}

// Each `key=value` after name and main class. Returns the first word that is wrong, or NULL.
static const char *set_all(struct program *program, char **rest) {
  for (char *word = strtok_r(NULL, BLANKS, rest); word != NULL; word = strtok_r(NULL, BLANKS, rest)) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
      return word;
    }
    *equals = '\0';
    if (!set(program, word, equals + 1)) {
      *equals = '=';
      return word;
    }
  }
  return NULL;
}

static const char *missing(const struct program *program) {
  if (program->main_class == NULL || strchr(program->main_class, '=') != NULL) {
    return "no main class";
  }
  if (program->jars == NULL) {
    return "no jars=";
  }
  if (program->is_restarted && program->oom != OOM_LIKE_ANY) {
    return "oom= needs restart=no";
  }
  if (program->is_restarted && program->asks != NULL) {
    return "asks= needs restart=no";
  }
  return program->waits_for_gpu && !program->is_restarted ? "wait=gpu needs restart=yes" : NULL;
}

// The line without its comment, in `line`; returns the start of the next line, or NULL at the end.
static const char *next_line(const char *text, char line[TABLE_BYTES]) {
  if (*text == '\0') {
    return NULL;
  }
  size_t length = strcspn(text, "\n");
  size_t content = strcspn(text, "#\n");
  memcpy(line, text, content);
  line[content] = '\0';
  return text + length + (text[length] == '\n');
}

static enum table_result parse(struct table *table, int number, char *rest,
                               struct program *program) {
  program->main_class = strtok_r(NULL, BLANKS, &rest);
  const char *word = set_all(program, &rest);
  if (word != NULL) {
    return wrong(table, number, "unknown key or wrong value", word);
  }
  const char *what = missing(program);
  return what == NULL ? TABLE_FOUND : wrong(table, number, what, program->name);
}

enum table_result table_find(struct table *table, const char *name, struct program *program) {
  const char *next = table->text;
  int number = 0;
  while ((next = next_line(next, table->tokens)) != NULL) {
    number++;
    char *rest;
    *program = DEFAULTS;
    program->name = strtok_r(table->tokens, BLANKS, &rest);
    if (program->name != NULL && strcmp(program->name, name) == 0) {
      return parse(table, number, rest, program);
    }
  }
  return TABLE_NO_SUCH_PROGRAM;
}

void table_print_names(const struct table *table, int descriptor) {
  char line[TABLE_BYTES];
  const char *next = table->text;
  while ((next = next_line(next, line)) != NULL) {
    char *rest;
    const char *name = strtok_r(line, BLANKS, &rest);
    if (name != NULL) {
      dprintf(descriptor, "  %s\n", name);
    }
  }
}
