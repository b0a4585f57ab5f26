// Path resolution below a root, for kernels and seccomp profiles without openat2.
#pragma once

// Opens `path` as a process whose root folder is `root` resolves it: `..` and links stay below `root`. The kernel
// follows no link itself, and links of procfs, which do not lead where their text says, are refused with ELOOP: the
// rules of openat2 with RESOLVE_IN_ROOT and RESOLVE_NO_MAGICLINKS. `flags` are those of open without O_CREAT and
// O_NOFOLLOW. A descriptor that is closed on exec, or -1 and errno.
int walk(int root, const char *path, int flags);
