// Runs a program as a host may: `confined [no-openat2=ERRNO] [userns] PROGRAM ARGUMENTS`. `no-openat2` refuses openat2 with
// an error number, 38 (ENOSYS) as kernels before 5.6 and 1 (EPERM) as seccomp profiles do that do not know it.
// `userns` is the user and mount name space that a container with hostUsers: false is created in; ids from 100000.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <grp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(int good, const char *what) {
  if (good) return;
  perror(what);
  exit(99);
}

static void refuse_openat2(unsigned error) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
  need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp");
}

static void write_map(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
  FILE *map = fopen(path, "w");
  need(map != NULL && fputs("0 100000 65536", map) >= 0 && fclose(map) == 0, path);
}

// The caller goes on in the new name spaces; a parent with the rights over the ids maps them.
static void enter_user_namespace(void) {
  int ready[2], mapped[2], status;
  char byte = 0;
  need(pipe(ready) == 0 && pipe(mapped) == 0, "pipe");
  pid_t child = fork();
  need(child >= 0, "fork");
  if (child > 0) {
    need(read(ready[0], &byte, 1) == 1, "child");
    write_map(child, "uid_map");
    write_map(child, "gid_map");
    need(write(mapped[1], &byte, 1) == 1, "pipe");
    need(waitpid(child, &status, 0) == child, "wait");
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
  }
  need(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare");
  need(write(ready[1], &byte, 1) == 1 && read(mapped[0], &byte, 1) == 1, "pipe");
  need(setgroups(0, NULL) == 0 && setgid(0) == 0 && setuid(0) == 0, "ids");
  need(mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0, "mount");
}

int main(int argc, char *argv[]) {
  int next = 1;
  for (; next < argc; next++) {
    if (strncmp(argv[next], "no-openat2=", 11) == 0) {
      refuse_openat2((unsigned)atoi(argv[next] + 11));
    } else if (strcmp(argv[next], "userns") == 0) {
      enter_user_namespace();
    } else {
      break;
    }
  }
  need(next < argc, "no program");
  execv(argv[next], argv + next);
  need(0, argv[next]);
}
