#include "musl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container.h"

enum { MAX_LIST = 64 * 1024 };

// musl, ldso/dynlink.c: without the file these are searched, with it only what it lists, between colons and newlines.
static const char DEFAULTS[] = "/lib\n/usr/local/lib\n/usr/lib\n";

static bool lists(const char *list, const char *folder) {
  size_t length = strlen(folder);
  while (*list != 0) {
    size_t entry = strcspn(list, ":\n");
    if (entry == length && strncmp(list, folder, length) == 0) return true;
    list += entry + (list[entry] != 0);
  }
  return false;
}

// The list of the image, which the caller frees; NULL and errno.
static char *read_list(int root, const char *path) {
  int file = container_find(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0) return errno == ENOENT ? strdup(DEFAULTS) : NULL;
  bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  char *list = regular ? read_all(file, MAX_LIST) : NULL;
  close(file);
  if (!regular) errno = EINVAL;
  return list;
}

static bool write_list(int root, const char *name, const char *old, const char *const folders[], size_t count) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return false;
  fputs(old, out);
  if (old[0] != 0 && old[strlen(old) - 1] != '\n') fputc('\n', out);
  for (size_t i = 0; i < count; i++) {
    fflush(out);
    if (!lists(text, folders[i])) fprintf(out, "%s\n", folders[i]);
  }
  bool good = fclose(out) == 0;
  if (good && strcmp(text, old) != 0) {
    int folder = container_folder(root, "/etc");
    good = folder >= 0 && container_write(folder, name, text, size);
    if (folder >= 0) close(folder);
  }
  free(text);
  return good;
}

static bool add(int root, const char *machine, const char *const folders[], size_t count) {
  char linker[64], name[64], path[80];
  snprintf(linker, sizeof linker, "/lib/ld-musl-%s.so.1", machine);
  snprintf(name, sizeof name, "ld-musl-%s.path", machine);
  snprintf(path, sizeof path, "/etc/%s", name);
  int found = container_find(root, linker, O_PATH);
  if (found < 0) return true;
  close(found);
  char *old = read_list(root, path);
  bool good = old != NULL && write_list(root, name, old, folders, count);
  free(old);
  return good;
}

bool musl_add(int root, const char *const folders[], size_t count) {
  return add(root, "x86_64", folders, count) && add(root, "aarch64", folders, count);
}
