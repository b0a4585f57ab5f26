#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "json.h"
#include "walk.h"

enum { MAX_STATE = 1 << 20, MAX_CONFIGURATION = 16 << 20 };

char *read_all(int file, size_t limit) {
  size_t size = 0, room = 64 * 1024;
  char *content = malloc(room + 1);
  while (content != NULL) {
    ssize_t more = read(file, content + size, room - size);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) break;
    size += (size_t)more;
    if (more == 0) {
      content[size] = 0;
      return content;
    }
    if (size == limit) {
      errno = EFBIG;
      break;
    }
    if (size == room) {
      room = room * 2 < limit ? room * 2 : limit;
      char *larger = realloc(content, room + 1);
      if (larger == NULL) break;
      content = larger;
    }
  }
  free(content);
  return NULL;
}

static int open_root(const char *bundle, const char *configuration) {
  static const char *const root_path[] = {"root", "path"};
  char path[PATH_MAX], whole[2 * PATH_MAX];
  if (!json_text(configuration, root_path, 2, path, sizeof path)) {
    complain("error", "the container's configuration names no root", bundle);
    return -1;
  }
  snprintf(whole, sizeof whole, "%s%s%s", path[0] == '/' ? "" : bundle, path[0] == '/' ? "" : "/", path);
  int root = open(whole, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) complain("error", strerror(errno), whole);
  return root;
}

int container_open(void) {
  static const char *const bundle_path[] = {"bundle"};
  char bundle[PATH_MAX], file_name[PATH_MAX + 16];
  char *state = read_all(STDIN_FILENO, MAX_STATE);
  bool known = state != NULL && json_text(state, bundle_path, 1, bundle, sizeof bundle);
  free(state);
  if (!known) {
    complain("error", "no container state with a bundle on the standard input", NULL);
    return -1;
  }
  snprintf(file_name, sizeof file_name, "%s/config.json", bundle);
  int file = open(file_name, O_RDONLY | O_CLOEXEC);
  char *configuration = file < 0 ? NULL : read_all(file, MAX_CONFIGURATION);
  if (configuration == NULL) complain("error", strerror(errno), file_name);
  if (file >= 0) close(file);
  int root = configuration == NULL ? -1 : open_root(bundle, configuration);
  free(configuration);
  return root;
}

int container_find(int root, const char *path, int flags) {
  return walk(root, path, flags);
}

int container_folder(int root, const char *path) {
  char part[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof part) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int folder = container_find(root, "/", O_PATH | O_DIRECTORY);
  // One name more each time, always from the root: only so do `..` and links stay in it.
  for (size_t start = 0; folder >= 0 && start < length;) {
    start += strspn(path + start, "/");
    size_t end = start + strcspn(path + start, "/");
    if (end == start) break;
    memcpy(part, path, end);
    part[end] = 0;
    int next = container_find(root, part, O_PATH | O_DIRECTORY);
    if (next < 0 && errno == ENOENT && mkdirat(folder, part + start, 0755) == 0) {
      next = container_find(root, part, O_PATH | O_DIRECTORY);
    }
    int cause = errno;
    close(folder);
    errno = cause;
    folder = next;
    start = end;
  }
  return folder;
}

int container_parent(int root, const char *path, const char **name) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  *name = slash == NULL ? path : slash + 1;
  if (length >= sizeof folder || **name == 0 || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0) {
    errno = EINVAL;
    return -1;
  }
  memcpy(folder, path, length);
  folder[length] = 0;
  return container_folder(root, folder);
}

bool container_write(int folder, const char *name, const char *content, size_t size) {
  if (unlinkat(folder, name, 0) != 0 && errno != ENOENT) return false;
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return false;
  bool good = fchmod(file, 0644) == 0;
  while (good && size > 0) {
    ssize_t written = write(file, content, size);
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    if (good) {
      content += written;
      size -= (size_t)written;
    }
  }
  return close(file) == 0 && good;
}
