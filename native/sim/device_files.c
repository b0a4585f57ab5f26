// The device files that an open library holds: who looks into /proc/PID/fd finds the process as a user of the driver.
// $NVML_SIM_DEV is a folder in place of /dev.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "footprint.h"
#include "state.h"

enum { OF_A_GPU = 3, OTHERS = 6, EVENTS = 2, PIPES = 2, DESCRIPTORS = OTHERS + EVENTS + 2 * PIPES };

static const char *const OTHER_FILES[OTHERS] = {"nvidiactl",  "nvidia-uvm", "nvidia-caps/nvidia-cap1",
                                                "nvidia-uvm", "nvidia-caps/nvidia-cap2", NULL};

static struct {
  pthread_mutex_t mutex;
  bool are_open;
  int count;
  int descriptors[DESCRIPTORS + OF_A_GPU * SIM_MAX_GPUS];
  bool has_gpu[SIM_MAX_GPUS];
} files = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void keep(int descriptor) {
  if (descriptor >= 0) files.descriptors[files.count++] = descriptor;
}

// By its path alone: behind a simulated device file there is no driver that could open it.
static void open_file(const char *name) {
  char path[PATH_MAX];
  const char *folder = getenv("NVML_SIM_DEV");
  if (snprintf(path, sizeof path, "%s/%s", folder == NULL ? "/dev" : folder, name) < (int)sizeof path)
    keep(open(path, O_PATH | O_CLOEXEC));
}

void sim_files_open(void) {
  int ends[2];
  pthread_mutex_lock(&files.mutex);
  files.are_open = true;
  for (unsigned i = 0; OTHER_FILES[i] != NULL; i++) open_file(OTHER_FILES[i]);
  for (unsigned i = 0; i < EVENTS; i++) keep(eventfd(0, EFD_CLOEXEC));
  for (unsigned i = 0; i < PIPES; i++) {
    if (pipe2(ends, O_CLOEXEC) != 0) continue;
    keep(ends[0]);
    keep(ends[1]);
  }
  pthread_mutex_unlock(&files.mutex);
}

void sim_files_open_gpu(unsigned index, unsigned minor) {
  char name[32];
  snprintf(name, sizeof name, "nvidia%u", minor);
  pthread_mutex_lock(&files.mutex);
  for (unsigned i = 0; files.are_open && !files.has_gpu[index] && i < OF_A_GPU; i++) open_file(name);
  files.has_gpu[index] = files.are_open;
  pthread_mutex_unlock(&files.mutex);
}

void sim_files_close(void) {
  pthread_mutex_lock(&files.mutex);
  while (files.count > 0) close(files.descriptors[--files.count]);
  for (unsigned i = 0; i < SIM_MAX_GPUS; i++) files.has_gpu[i] = false;
  files.are_open = false;
  pthread_mutex_unlock(&files.mutex);
}
