#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

// The kernel follows 40 links in one path (path_resolution(7)). The depth bounds the open descriptors.
enum { MAX_LINKS = 40, MAX_DEPTH = 200 };

// `folders` holds the descriptors from the root to where the walk stands. `..` drops the last one, so that a folder
// that is moved meanwhile does not lead out of the root.
struct walker {
  int folders[MAX_DEPTH];
  int depth;
  int links;
  char rest[PATH_MAX]; // what remains of the path
};

static int fail(int cause) {
  errno = cause;
  return -1;
}

static void close_keeping_errno(int file) {
  int cause = errno;
  close(file);
  errno = cause;
}

static int top(const struct walker *at) {
  return at->folders[at->depth - 1];
}

static void rewind_to(struct walker *at, int depth) {
  while (at->depth > depth) close_keeping_errno(at->folders[--at->depth]);
}

static int enter(struct walker *at, int folder) {
  if (at->depth == MAX_DEPTH) return fail(ENAMETOOLONG);
  at->folders[at->depth++] = folder;
  return 0;
}

// One more than a name can have: the kernel itself refuses a longer one.
enum { NAME_SIZE = NAME_MAX + 2 };

// Takes the first name of the rest. False where nothing is left but slashes; `*slash` says that one follows the name.
static bool next(struct walker *at, char name[NAME_SIZE], bool *slash) {
  const char *start = at->rest + strspn(at->rest, "/");
  size_t length = strcspn(start, "/");
  if (length == 0) return false;
  *slash = start[length] == '/';
  snprintf(name, NAME_SIZE, "%.*s", (int)length, start);
  memmove(at->rest, start + length, strlen(start + length) + 1);
  return true;
}

static bool is_last(const struct walker *at) {
  return at->rest[strspn(at->rest, "/")] == 0;
}

// Puts the text of a link before the rest of the path.
static int follow(struct walker *at, int link) {
  char target[PATH_MAX], whole[PATH_MAX];
  struct statfs system;
  if (++at->links > MAX_LINKS) return fail(ELOOP);
  if (fstatfs(link, &system) != 0) return -1;
  if (system.f_type == PROC_SUPER_MAGIC) return fail(ELOOP);
  ssize_t length = readlinkat(link, "", target, sizeof target);
  if (length < 0) return -1;
  if (length == 0) return fail(ENOENT);
  if ((size_t)length == sizeof target) return fail(ENAMETOOLONG);
  target[length] = 0;
  int size = snprintf(whole, sizeof whole, "%s%s", target, at->rest); // the rest is empty or begins with a slash
  if (size < 0 || (size_t)size >= sizeof whole) return fail(ENAMETOOLONG);
  memcpy(at->rest, whole, (size_t)size + 1);
  if (target[0] == '/') rewind_to(at, 1);
  return 0;
}

// One name further. The descriptor of the last one, -1 and errno, or `GOES_ON`.
enum { GOES_ON = -2 };

static int reopen(int folder, const char *name, int found, int flags) {
  if (flags & O_PATH) return found;
  int file = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
  close_keeping_errno(found);
  return file;
}

static int step(struct walker *at, const char *name, bool slash, int flags) {
  int found = openat(top(at), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (found < 0) return -1;
  if (fstat(found, &status) != 0) {
    close_keeping_errno(found);
    return -1;
  }
  if (S_ISLNK(status.st_mode)) {
    int result = follow(at, found);
    close_keeping_errno(found);
    return result == 0 ? GOES_ON : -1;
  }
  bool last = is_last(at);
  if (!S_ISDIR(status.st_mode) && (!last || slash || (flags & O_DIRECTORY))) {
    close(found);
    return fail(ENOTDIR);
  }
  if (last && !slash) return reopen(top(at), name, found, flags);
  if (enter(at, found) == 0) return GOES_ON;
  close_keeping_errno(found);
  return -1;
}

static int go(struct walker *at, int flags) {
  char name[NAME_SIZE];
  bool slash;
  while (next(at, name, &slash)) {
    if (strcmp(name, ".") == 0) continue;
    if (strcmp(name, "..") == 0) {
      if (at->depth > 1) rewind_to(at, at->depth - 1);
      continue;
    }
    int found = step(at, name, slash, flags);
    if (found != GOES_ON) return found;
  }
  return openat(top(at), ".", flags | O_CLOEXEC);
}

int walk(int root, const char *path, int flags) {
  struct walker at = {.folders = {-1}};
  if (strlen(path) >= sizeof at.rest) return fail(ENAMETOOLONG);
  strcpy(at.rest, path);
  int first = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (first < 0 || enter(&at, first) != 0) return -1;
  int found = go(&at, flags);
  rewind_to(&at, 0);
  return found;
}
