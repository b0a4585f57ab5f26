// The hook that container runtimes start for a CDI specification: `pitcrew-cdi-hook NAME FLAGS`,
// with the container's state as JSON on the standard input. It also answers to `nvidia-ctk hook NAME`.
// An older hook must not stop a container of a newer specification: what is unknown is passed over.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "hooks.h"

static int noop(char *const words[]) {
  (void)words;
  return 0;
}

static const struct {
  const char *name;
  int (*run)(char *const words[]);
} HOOKS[] = {
  {"create-symlinks", create_symlinks},
  {"update-ldcache", update_ldcache},
  {"enable-cuda-compat", enable_cuda_compat},
  {"disable-device-node-modification", disable_device_node_modification},
  {"chmod", change_modes},
  // An EGL profile changes which GPU is the default and nothing else; that is left to the image.
  {"update-application-profile", noop},
  {"noop", noop},
};

int main(int argc, char *argv[]) {
  alarm(LIMIT_SECONDS);
  char **words = argv + (argc > 0);
  if (words[0] != NULL && strcmp(words[0], "hook") == 0) words++;
  if (words[0] == NULL) {
    complain("warning", "nothing to do", NULL);
    return 0;
  }
  for (size_t i = 0; i < sizeof HOOKS / sizeof HOOKS[0]; i++) {
    if (strcmp(words[0], HOOKS[i].name) == 0) return HOOKS[i].run(words + 1);
  }
  complain("warning", "unknown hook is ignored", words[0]);
  return 0;
}
