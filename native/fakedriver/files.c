#include "files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("nvidia-driver: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void below(char path[PATH_MAX], const char *root, ...) {
  va_list parts;
  va_start(parts, root);
  size_t length = 0;
  for (const char *part = root; part != NULL; part = va_arg(parts, const char *)) {
    size_t bytes = strlen(part);
    if (length + bytes >= PATH_MAX) fail("a path below %s is too long", root);
    memcpy(path + length, part, bytes);
    length += bytes;
  }
  path[length] = '\0';
  va_end(parts);
}

void make_way(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) fail("%s: %s", folder, strerror(errno));
    *slash = '/';
  }
}

void write_file(const char *path, const char *text) {
  char draft[PATH_MAX];
  below(draft, path, ".new", NULL);
  make_way(path);
  FILE *file = fopen(draft, "w");
  if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0 || rename(draft, path) != 0)
    fail("%s: %s", path, strerror(errno));
}

bool read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  while (length > 0 && strchr(" \n", text[length - 1]) != NULL) length--;
  text[length] = '\0';
  return true;
}
