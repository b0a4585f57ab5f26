// ldconfig reads files that the image's maker wrote. It runs as a copy in memory, which no process can use to reach the
// host's file (/proc/PID/exe), in a chroot, in name spaces of its own, and with one capability.
#include "ldconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U // since Linux 6.3
#endif

enum { PROGRAM = 3, MAX_PROGRAM = 64 << 20 };

// A program, and no script; -1 and errno.
static int open_program(const char *path) {
  int program = open(path, O_RDONLY | O_CLOEXEC);
  char magic[4];
  if (program < 0) return -1;
  if (pread(program, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0) return program;
  close(program);
  errno = ENOEXEC;
  return -1;
}

// Debian's and Ubuntu's ldconfig is a script around the program, which is beside it.
int ldconfig_open(const char *wanted) {
  const char *const candidates[] = {wanted, "/sbin/ldconfig", "/usr/sbin/ldconfig"};
  for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
    if (candidates[i] == NULL) continue;
    char real[PATH_MAX];
    const char *path = candidates[i] + (candidates[i][0] == '@');
    int length = snprintf(real, sizeof real, "%s.real", path);
    int program = length < (int)sizeof real ? open_program(real) : -1;
    if (program < 0) program = open_program(path);
    if (program >= 0) return program;
  }
  errno = ENOENT;
  return -1;
}

// A copy that cannot be written; -1 and errno.
static int copy_of(int program) {
  struct stat status;
  if (fstat(program, &status) != 0) return -1;
  int copy = memfd_create("ldconfig", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (copy < 0 && errno == EINVAL) copy = memfd_create("ldconfig", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (copy < 0) return -1;
  off_t at = 0;
  while (at < status.st_size && status.st_size <= MAX_PROGRAM) {
    if (sendfile(copy, program, &at, (size_t)(status.st_size - at)) <= 0) break;
  }
  if (at == status.st_size && fcntl(copy, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0) {
    return copy;
  }
  close(copy);
  errno = ENOEXEC;
  return -1;
}

// Folders of an image can belong to any user, and the cache is written into one: CAP_DAC_OVERRIDE. That a program which
// root starts gets all capabilities again is what no_new_privs forbids.
static bool drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{0}};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capget, &header, data) != 0) return false;
  unsigned kept = data[0].permitted & 1U << CAP_DAC_OVERRIDE;
  struct __user_cap_data_struct least[2] = {{.effective = kept, .permitted = kept}};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return syscall(SYS_capset, &header, least) == 0;
}

static int run(int root, int program) {
  char *const words[] = {"ldconfig", "-f", "/etc/ld.so.conf", "-C", "/etc/ld.so.cache", NULL};
  char *const environment[] = {NULL};
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) return 1;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 1;
  // No descriptor of the host's may be left, with which a chroot is left.
  if (fchdir(root) != 0 || (program != PROGRAM && dup2(program, PROGRAM) < 0)) return 1;
  closefrom(PROGRAM + 1);
  if (fcntl(PROGRAM, F_SETFD, FD_CLOEXEC) != 0) return 1;
  if (chroot(".") != 0 || chdir("/") != 0 || !drop_capabilities()) return 1;
  alarm(LIMIT_SECONDS); // a fork forgets its parent's, a new program keeps it
  syscall(SYS_execveat, PROGRAM, "", words, environment, AT_EMPTY_PATH);
  return 1;
}

bool ldconfig_run(int root, int original) {
  // Without a copy where the host forbids that memory is executed (vm.memfd_noexec=2).
  int copy = copy_of(original);
  int program = copy < 0 ? original : copy;
  pid_t child = fork();
  if (child == 0) _exit(run(root, program));
  if (copy >= 0) close(copy);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) errno = ENOEXEC;
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
