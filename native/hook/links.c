// Makes the symbolic links under which programs look for libraries and devices.
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "hooks.h"

static bool is_there(int folder, const char *name, const char *target) {
  char old[PATH_MAX];
  ssize_t length = readlinkat(folder, name, old, sizeof old - 1);
  if (length < 0) return false;
  old[length] = 0;
  return strcmp(old, target) == 0;
}

// Whatever has the name is replaced at once, unless it is a folder.
static bool replace(int folder, const char *name, const char *target) {
  char unfinished[64];
  snprintf(unfinished, sizeof unfinished, ".pitcrew-link-%ld", (long)getpid());
  if (symlinkat(target, folder, unfinished) != 0) return false;
  if (renameat(folder, unfinished, folder, name) == 0) return true;
  int cause = errno;
  unlinkat(folder, unfinished, 0);
  errno = cause;
  return false;
}

static bool make(int root, const char *target, const char *path) {
  const char *name;
  int folder = container_parent(root, path, &name);
  if (folder < 0) return false;
  bool made = is_there(folder, name, target) || symlinkat(target, folder, name) == 0 ||
              (errno == EEXIST && replace(folder, name, target));
  int cause = errno;
  close(folder);
  errno = cause;
  return made;
}

static int make_all(int root, const struct flag *links) {
  for (size_t i = 0; i < links->count; i++) {
    char target[PATH_MAX];
    const char *border = strstr(links->values[i], "::");
    size_t length = border == NULL ? 0 : (size_t)(border - links->values[i]);
    if (length == 0 || length >= sizeof target) {
      complain("error", "not TARGET::LINK", links->values[i]);
      return 1;
    }
    memcpy(target, links->values[i], length);
    target[length] = 0;
    if (!make(root, target, border + 2)) {
      complain("error", strerror(errno), links->values[i]);
      return 1;
    }
  }
  return 0;
}

int create_symlinks(char *const words[]) {
  static struct flag links = {.name = "--link"};
  arguments_read(words, (struct flag *const[]){&links}, 1);
  if (links.count == 0) return 0;
  int root = container_open();
  if (root < 0) return 1;
  int status = make_all(root, &links);
  close(root);
  return status;
}
