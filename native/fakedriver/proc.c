// Names and forms are those of a report of a real H100 with driver 580.159.04, and of kernel-open/nvidia/nv-caps.c of
// open-gpu-kernel-modules. Of the parameters only those that device nodes depend on.
#include "proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../sim/command.h"
#include "files.h"

// NVIDIA's installers take the open kernel modules from this branch on.
enum { OPEN_MODULES = 560 };

static const char VERSION[] = "/proc/driver/nvidia/version";
static const char MINORS[] = "/proc/driver/nvidia-caps/mig-minors";

static const struct {
  const char *path, *text;
} FILES[] = {
    {"/proc/driver/nvidia/params",
     "ModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: 438\n"},
    {"/proc/driver/nvidia/capabilities/mig/config",
     "DeviceFileMinor: 1\nDeviceFileMode: 256\nDeviceFileModify: 1\n"},
    {"/proc/driver/nvidia/capabilities/mig/monitor",
     "DeviceFileMinor: 2\nDeviceFileMode: 292\nDeviceFileModify: 1\n"},
    {"/proc/driver/nvidia/capabilities/fabric-imex-mgmt",
     "DeviceFileMinor: 4323\nDeviceFileMode: 256\nDeviceFileModify: 1\n"},
    {"/proc/driver/nvidia-caps/sys-minors", "fabric-imex-mgmt 4323\n"},
    {"/proc/driver/nvidia-caps/nvlink-minors", "fabric-mgmt 0\n"},
};
enum { COUNT = sizeof FILES / sizeof FILES[0] };

void proc_write(const char *root, const char *version) {
  char path[PATH_MAX], text[256];
  for (unsigned i = 0; i < COUNT; i++) {
    below(path, root, FILES[i].path, NULL);
    write_file(path, FILES[i].text);
  }
  below(path, root, MINORS, NULL);
  FILE *file = fopen(path, "w");
  if (file == NULL) fail("%s cannot be written", path);
  sim_minors(file);
  fclose(file);
  snprintf(text, sizeof text,
           atoi(version) < OPEN_MODULES
               ? "NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  simulated\n"
               : "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  %s  Release Build  (simulated@node)  \n",
           version);
  below(path, root, VERSION, NULL);
  write_file(path, text);
}

void proc_remove(const char *root) {
  char path[PATH_MAX];
  for (unsigned i = 0; i < COUNT; i++) {
    below(path, root, FILES[i].path, NULL);
    unlink(path);
  }
  below(path, root, VERSION, NULL);
  unlink(path);
  below(path, root, MINORS, NULL);
  unlink(path);
}
