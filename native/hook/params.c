// Shows the container's processes a driver that lets nobody make device nodes: NVIDIA's libraries, run
// as root, would otherwise make nodes of GPUs that the container was not given.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "hooks.h"

static const char PARAMS[] = "/proc/driver/nvidia/params";
static const char ALLOWED[] = "ModifyDeviceFiles: 1";
enum { MAX_PARAMS = 64 * 1024 };

static bool bind(int file, int target) {
  char from[64], to[64];
  snprintf(from, sizeof from, "/proc/self/fd/%d", file);
  snprintf(to, sizeof to, "/proc/self/fd/%d", target);
  return mount(from, to, NULL, MS_BIND, NULL) == 0;
}

// A file of a file system of its own is bound over the kernel's; that file system has no name then.
static bool cover(int target, const char *content) {
  char place[] = "/run/pitcrew-params-XXXXXX";
  if (mkdtemp(place) == NULL) return false;
  bool mounted = mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k") == 0;
  int folder = mounted ? open(place, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  bool good = folder >= 0 && container_write(folder, "params", content, strlen(content));
  int file = good ? openat(folder, "params", O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
  good = file >= 0 && bind(file, target);
  int cause = errno;
  if (file >= 0) close(file);
  if (folder >= 0) close(folder);
  if (mounted) umount2(place, MNT_DETACH);
  rmdir(place);
  errno = cause;
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
    if (target < 0 || !cover(target, content)) {
      complain("error", "cannot forbid that device nodes are made", strerror(errno));
      status = 1;
    }
    if (target >= 0) close(target);
  }
  free(content);
  close(root);
  return status;
}
