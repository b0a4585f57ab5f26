// The simulated nvidia-smi: the little of it that a node calls. "-L" lists, "-r [-i LIST]" resets, "-c MODE [-i LIST]"
// sets the compute mode.
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

static void reset(struct command *command, unsigned index, const struct sim_gpu *gpu) {
  char number[16];
  snprintf(number, sizeof number, "%u", index);
  command->arguments = (char *[]){number};
  command->count = 1;
  sim_reset(command);
  printf("GPU %08X:%02X:00.0 was successfully reset.\n", gpu->pci_domain, gpu->pci_bus);
}

// Its number in NVML, or what only the driver calls a mode.
static uint64_t compute_mode(const char *name) {
  static const char *const NAMES[] = {"DEFAULT", "EXCLUSIVE_THREAD", "PROHIBITED", "EXCLUSIVE_PROCESS"};
  for (unsigned i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
    if (strcmp(name, NAMES[i]) == 0) return i;
  return sim_number(name, sizeof NAMES / sizeof NAMES[0] - 1);
}

static void set_compute_mode(struct command *command, unsigned index, const char *mode) {
  uint64_t wanted = compute_mode(mode);
  sim_lock(command->state);
  sim_gpu_edit(command->state, index)->readings.compute_mode = wanted;
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
  printf("Set compute mode to %s for GPU %u.\n", mode, index);
}

// The mode is null for a reset.
static void change(struct command *command, const char *name, const char *mode) {
  bool found = false;
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    struct sim_gpu gpu = *sim_gpu(command->state, i);
    if (strcmp(name, "all") != 0 && !is_named(&gpu, i, name)) continue;
    if (mode == NULL) reset(command, i, &gpu);
    else set_compute_mode(command, i, mode);
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
  const char *mode = NULL;
  bool wants_list = false, wants_reset = false;
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "-L") == 0) wants_list = true;
    else if (strcmp(arguments[i], "-r") == 0 || strcmp(arguments[i], "--gpu-reset") == 0) wants_reset = true;
    else if (strcmp(arguments[i], "-i") == 0 && i + 1 < count) names = arguments[++i];
    else if (strncmp(arguments[i], "--id=", 5) == 0) names = arguments[i] + 5;
    else if (strcmp(arguments[i], "-c") == 0 && i + 1 < count) mode = arguments[++i];
    else sim_fail("nvidia-smi: only -L, -c MODE [-i LIST] and -r [-i LIST] are simulated, not %s", arguments[i]);
  }
  sim_open(&command, state_path());
  if (!atomic_load(&command.state->loaded)) sim_fail("nvidia-smi: the driver is not loaded");
  bool changes = wants_reset || mode != NULL;
  if (wants_list || !changes) list(&command);
  if (!changes) return 0;
  for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) change(&command, name, mode);
  puts("All done.");
  return 0;
}
