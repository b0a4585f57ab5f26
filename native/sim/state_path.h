#ifndef PITCREW_SIM_STATE_PATH_H
#define PITCREW_SIM_STATE_PATH_H

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the state of the simulated node is: as the environment says, else beside the library that asks.
static inline void state_path(char path[PATH_MAX]) {
  const char *configured = getenv("NVML_SIM_STATE");
  Dl_info facts;
  path[0] = '\0';
  if (configured != NULL && configured[0] != '\0') {
    snprintf(path, PATH_MAX, "%s", configured);
  } else if (dladdr((void *)(uintptr_t)&state_path, &facts) != 0) {
    const char *slash = strrchr(facts.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - facts.dli_fname) + 1;
    snprintf(path, PATH_MAX, "%.*snvml-sim.state", folder, facts.dli_fname);
  }
}

#endif
