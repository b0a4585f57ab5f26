#define _GNU_SOURCE
#include "classpath.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log.h"

struct growing {
  char *text;
  size_t length;
};

char *next_part(char **rest) {
  return strsep(rest, ":");
}

static bool add(struct growing *path, const char *folder, const char *name) {
  size_t room = CLASS_PATH_BYTES - path->length;
  int length = snprintf(path->text + path->length, room, "%s%s%s%s", path->length == 0 ? "" : ":",
                        folder, *name == '\0' ? "" : "/", name);
  if ((size_t)length >= room) {
    errno = ENAMETOOLONG;
    return false;
  }
  path->length += (size_t)length;
  return true;
}

static int is_jar(const struct dirent *entry) {
  const char *end = strrchr(entry->d_name, '.');
  return end != NULL && strcmp(end, ".jar") == 0;
}

static int by_bytes(const struct dirent **left, const struct dirent **right) {
  return strcmp((*left)->d_name, (*right)->d_name);
}

static bool add_folder(struct growing *path, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, is_jar, by_bytes);
  if (count < 0) {
    return false;
  }
  errno = ENOENT;
  bool fits = count > 0;
  for (int i = 0; i < count; i++) {
    fits = fits && add(path, folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return fits;
}

static bool add_part(struct growing *path, const char *part) {
  struct stat status;
  if (stat(part, &status) != 0) {
    return false;
  }
  return S_ISDIR(status.st_mode) ? add_folder(path, part) : add(path, part, "");
}

bool classpath_of(const struct table *table, const struct program *program,
                  char path[CLASS_PATH_BYTES]) {
  struct growing growing = {.text = path};
  char parts[TABLE_BYTES];
  snprintf(parts, sizeof parts, "%s", program->jars);
  char *rest = parts;
  for (char *part = next_part(&rest); part != NULL; part = next_part(&rest)) {
    char resolved[4096];
    errno = ENAMETOOLONG;
    if (!table_resolve(table, part, resolved, sizeof resolved) || !add_part(&growing, resolved)) {
      log_failure("the jars of the program cannot be listed", part);
      return false;
    }
  }
  return true;
}
