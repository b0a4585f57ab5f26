// The simulated nvidia-smi: the little of it that a node agent calls. "-L" lists, "-r [-i LIST]" resets.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command.h"

// Where a driver root keeps the library, and the state beside it, as seen from the folder of this program.
static const char *const PLACES[] = {"", "../lib/x86_64-linux-gnu/", "../lib/aarch64-linux-gnu/", "../lib64/", "../lib/"};

static const char *state_path(void) {
  static char path[PATH_MAX + 64];
  char program[PATH_MAX] = "";
  const char *configured = getenv("NVML_SIM_STATE");
  if (configured != NULL && configured[0] != '\0') return configured;
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) *(strrchr(program, '/') + 1) = '\0';
  for (unsigned i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
    snprintf(path, sizeof path, "%s%snvml-sim.state", program, PLACES[i]);
    if (access(path, F_OK) == 0) return path;
  }
  return path;
}

// A GPU by index, UUID or PCI address.
static bool is_named(const struct sim_gpu *gpu, unsigned index, const char *name) {
  char number[16], address[32];
  snprintf(number, sizeof number, "%u", index);
  snprintf(address, sizeof address, "%08X:%02X:00.0", gpu->pci_domain, gpu->pci_bus);
  return strcmp(number, name) == 0 || strcmp(gpu->uuid, name) == 0 || strcasecmp(address, name) == 0 ||
         strcasecmp(address + 4, name) == 0;
}

static void reset(struct command *command, const char *name) {
  bool found = false;
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    struct sim_gpu gpu = *sim_gpu(command->state, i);
    if (strcmp(name, "all") != 0 && !is_named(&gpu, i, name)) continue;
    char number[16];
    snprintf(number, sizeof number, "%u", i);
    command->arguments = (char *[]){number};
    command->count = 1;
    sim_reset(command);
    printf("GPU %08X:%02X:00.0 was successfully reset.\n", gpu.pci_domain, gpu.pci_bus);
    found = true;
  }
  if (!found) sim_fail("%s: no such GPU", name);
}

static void list(const struct command *command) {
  for (unsigned i = 0; i < command->state->gpu_count; i++)
    printf("GPU %u: %s (UUID: %s)\n", i, sim_gpu(command->state, i)->name, sim_gpu(command->state, i)->uuid);
}

int main(int count, char **arguments) {
  struct command command = {.name = "nvidia-smi"};
  char everything[] = "all", *names = everything;
  bool wants_list = false, wants_reset = false;
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "-L") == 0) wants_list = true;
    else if (strcmp(arguments[i], "-r") == 0 || strcmp(arguments[i], "--gpu-reset") == 0) wants_reset = true;
    else if (strcmp(arguments[i], "-i") == 0 && i + 1 < count) names = arguments[++i];
    else if (strncmp(arguments[i], "--id=", 5) == 0) names = arguments[i] + 5;
    else sim_fail("nvidia-smi: only -L and -r [-i LIST] are simulated, not %s", arguments[i]);
  }
  sim_open(&command, state_path());
  if (!atomic_load(&command.state->loaded)) sim_fail("nvidia-smi: the driver is not loaded");
  if (wants_list || !wants_reset) list(&command);
  if (!wants_reset) return 0;
  for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) reset(&command, name);
  puts("All done.");
  return 0;
}
