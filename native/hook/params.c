// Shows the container's processes a driver that lets no process make device nodes: NVIDIA's libraries, run
// as root, would otherwise make nodes of GPUs that the container was not given.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "hooks.h"

static const char FOLDER[] = "/proc/driver/nvidia";
static const char PARAMS[] = "/proc/driver/nvidia/params";
static const char ALLOWED[] = "ModifyDeviceFiles: 1";
enum { MAX_PARAMS = 64 * 1024 };

static bool bind(int file, int target) {
  char from[64], to[64];
  snprintf(from, sizeof from, "/proc/self/fd/%d", file);
  snprintf(to, sizeof to, "/proc/self/fd/%d", target);
  return mount(from, to, NULL, MS_BIND, NULL) == 0;
}

// A file of a file system of its own is bound over the kernel's. That file system lies over the driver's own folder in
// the container until then: in a user namespace the host has no folder that may be written, and an image need not.
static bool cover(int root, int target, const char *content) {
  int below = container_find(root, FOLDER, O_PATH | O_DIRECTORY);
  char place[64];
  snprintf(place, sizeof place, "/proc/self/fd/%d", below);
  bool mounted = below >= 0 && mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k,mode=755") == 0;
  int scratch = mounted ? container_find(root, FOLDER, O_PATH | O_DIRECTORY) : -1;
  bool good = scratch >= 0 && container_write(scratch, "params", content, strlen(content));
  int file = good ? openat(scratch, "params", O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
  good = file >= 0 && bind(file, target);
  int cause = errno;
  if (scratch >= 0) {
    snprintf(place, sizeof place, "/proc/self/fd/%d", scratch);
    good = umount2(place, MNT_DETACH) == 0 && good;
  }
  if (file >= 0) close(file);
  if (scratch >= 0) close(scratch);
  if (below >= 0) close(below);
  if (!good && cause != 0) errno = cause;
  return good;
}

int disable_device_node_modification(char *const words[]) {
  arguments_read(words, NULL, 0);
  int root = container_open();
  if (root < 0) return 1;
  int kernels = container_find(root, PARAMS, O_RDONLY);
  bool absent = kernels < 0 && (errno == ENOENT || errno == ENOTDIR);
  char *content = kernels < 0 ? NULL : read_all(kernels, MAX_PARAMS);
  if (content == NULL && !absent) {
    complain("error", "cannot read whether device nodes are made", strerror(errno));
    close(root);
    return 1;
  }
  if (kernels >= 0) close(kernels);
  char *allowed = content == NULL ? NULL : strstr(content, ALLOWED);
  int status = 0;
  // Without the driver's file, or where it forbids it anyway, nothing is to be done.
  if (allowed != NULL) {
    allowed[sizeof ALLOWED - 2] = '0';
    int target = container_find(root, PARAMS, O_PATH);
    if (target < 0 || !cover(root, target, content)) {
      complain("error", "cannot forbid that device nodes are made", strerror(errno));
      status = 1;
    }
    if (target >= 0) close(target);
  }
  free(content);
  close(root);
  return status;
}
