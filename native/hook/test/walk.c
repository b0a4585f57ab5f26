// The walker against openat2 of the kernel, on trees and paths of a pseudo-random generator.
#include "../walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TREES = 40, ENTRIES = 30, PATHS = 400 };
static int failures, found, refused;

static const char *const NAMES[] = {"a", "b", "c", "..", ".", "", "/", "proc"};

static void make_path(char *path, size_t size) {
  size_t used = (size_t)snprintf(path, size, "%s", rand() % 3 == 0 ? "/" : "");
  for (int names = 1 + rand() % 5; names > 0; names--) {
    const char *name = NAMES[(size_t)rand() % (sizeof NAMES / sizeof NAMES[0])];
    used += (size_t)snprintf(path + used, size - used, "%s%s", name, names > 1 || rand() % 6 == 0 ? "/" : "");
  }
}

// The kernel gives up with EAGAIN where `..` or a link is followed while anything is mounted or renamed (openat2(2)).
static int by_kernel(int root, const char *path, struct open_how *how) {
  int file;
  do {
    file = (int)syscall(SYS_openat2, root, path[0] ? path : "/", how, sizeof *how);
  } while (file < 0 && errno == EAGAIN);
  return file;
}

static void make_tree(int root) {
  for (int i = 0; i < ENTRIES; i++) {
    char path[128], target[128];
    make_path(path, sizeof path);
    make_path(target, sizeof target);
    struct open_how how = {.flags = O_PATH | O_DIRECTORY, .resolve = RESOLVE_IN_ROOT};
    int folder = by_kernel(root, path, &how);
    if (folder < 0) folder = dup(root);
    const char *name = NAMES[rand() % 3];
    switch (rand() % 3) {
      case 0: mkdirat(folder, name, 0755); break;
      case 1: symlinkat(target, folder, name); break;
      default: {
        int file = openat(folder, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0644);
        if (file >= 0) close(file);
      }
    }
    close(folder);
  }
}

static void compare(int root, const char *path, int flags) {
  struct open_how how = {
    .flags = (unsigned long long)(flags | O_CLOEXEC),
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };
  struct stat theirs = {0}, ours = {0};
  int kernel = by_kernel(root, path, &how);
  int kernels_errno = kernel < 0 ? errno : 0;
  int own = walk(root, path, flags);
  int own_errno = own < 0 ? errno : 0;
  if (kernel >= 0) fstat(kernel, &theirs);
  if (own >= 0) fstat(own, &ours);
  if (kernels_errno != own_errno || theirs.st_ino != ours.st_ino || theirs.st_dev != ours.st_dev) {
    fprintf(stderr, "FAIL: '%s' with %#x: the kernel finds inode %lu (%s), the walker inode %lu (%s)\n", path, (unsigned)flags,
            (unsigned long)theirs.st_ino, strerror(kernels_errno), (unsigned long)ours.st_ino, strerror(own_errno));
    failures++;
  }
  *(kernel >= 0 ? &found : &refused) += 1;
  if (kernel >= 0) close(kernel);
  if (own >= 0) close(own);
}

static void compare_all(int root, const char *path) {
  const int flags[] = {O_PATH, O_PATH | O_DIRECTORY, O_RDONLY, O_RDONLY | O_DIRECTORY};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) compare(root, path, flags[i]);
}

static void chains(int root) {
  char name[16], target[16], deep[PATH_MAX + 8];
  mkdirat(root, "z0", 0755);
  for (int i = 1; i <= 42; i++) {
    snprintf(name, sizeof name, "z%d", i);
    snprintf(target, sizeof target, "z%d", i - 1);
    symlinkat(target, root, name);
  }
  compare_all(root, "z40");
  compare_all(root, "z41");
  memset(deep, 'x', sizeof deep);
  deep[PATH_MAX + 7] = 0;
  compare_all(root, deep);
  deep[300] = 0;
  compare_all(root, deep);
  deep[255] = 0;
  compare_all(root, deep);
  symlinkat("/proc/self/root", root, "magic");
}

int main(void) {
  char place[] = "/tmp/walk-XXXXXX", command[64];
  if (mkdtemp(place) == NULL) return 1;
  int host = open("/", O_PATH | O_DIRECTORY);
  for (int tree = 0; tree < TREES; tree++) {
    char name[64];
    snprintf(name, sizeof name, "%s/%d", place, tree);
    if (mkdir(name, 0755) != 0) return 1;
    int root = open(name, O_PATH | O_DIRECTORY);
    srand((unsigned)tree);
    make_tree(root);
    for (int i = 0; i < PATHS; i++) {
      char path[128];
      make_path(path, sizeof path);
      compare_all(root, path);
    }
    chains(root);
    close(root);
  }
  // The procfs of the machine, as the one of a container.
  compare_all(host, "/proc/self/root/etc");
  compare_all(host, "/proc/self/cwd");
  compare_all(host, "/proc/self/exe");
  compare_all(host, "/proc/self/fd/0");
  compare_all(host, "/proc/version");
  close(host);
  snprintf(command, sizeof command, "rm -rf %s", place);
  if (system(command) != 0) return 1;
  printf("walk: %s, %d found and %d refused as the kernel does\n", failures == 0 ? "ok" : "FAILED", found, refused);
  return failures == 0 && found > 1000 && refused > 1000 ? 0 : 1;
}
