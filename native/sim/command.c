// nvml-sim: makes a simulated node, shows it and injects faults while it runs.
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mig_plan.h"
#include "nvml_abi.h"

static const char USAGE[] =
    "nvml-sim profiles\n"
    "nvml-sim create STATE --profile PROFILE [--gpus N] [--driver VERSION] [--cuda MAJOR.MINOR]\n"
    "nvml-sim STATE show\n"
    "nvml-sim STATE minors                print the driver's table of MIG capability minors\n"
    "nvml-sim STATE mig FILE|-             replace the MIG layout of the GPUs that the lines name\n"
    "nvml-sim STATE xid GPU CODE [GI CI]   post an Xid event\n"
    "nvml-sim STATE ecc GPU single|double  count an ECC error and post its event\n"
    "nvml-sim STATE lost GPU | restore GPU the GPU falls off the bus, comes back\n"
    "nvml-sim STATE hang GPU | release GPU every call on the GPU blocks, goes on\n"
    "nvml-sim STATE busy MS               the resource manager is held: all calls but cached ones wait; 0 ends it\n"
    "nvml-sim STATE first-open MS         no persistence: a GPU's first handle takes so long; 0: persistence\n"
    "nvml-sim STATE footprint MIB         the library takes so much memory for each GPU, some besides, and a thread; 0: none\n"
    "nvml-sim STATE fail CALL CODE|hang [TIMES [SKIP]]  the next calls answer CODE, or their GPU hangs;\n"
    "                                     CALL: an nvml function that changes MIG, nvmlEventSetWait,\n"
    "                                     nvmlDeviceGetProcessUtilization, …Brand, …AddressingMode, or 'reset'\n"
    "nvml-sim STATE reset GPU|all [--force]  refused while a process uses NVML or the GPU\n"
    "nvml-sim STATE unload [--if-idle] | load [VERSION [CUDA]]\n"
    "nvml-sim STATE mismatch | match       library and kernel module differ in version, agree again\n"
    "nvml-sim STATE process GPU PID MIB|unknown [GI CI] [--graphics|--mps]  MIB 0: the process ends\n"
    "nvml-sim STATE use GPU PID SM MEMORY  the process uses so many percent of the time\n"
    "nvml-sim STATE set GPU KEY VALUE      'nvml-sim STATE get GPU' lists the keys\n"
    "nvml-sim STATE get GPU [KEY]\n";

static void show_mig(struct sim_gpu gpu, unsigned index, FILE *output) {
  struct sim_gpu_instance *instance;
  struct sim_compute_instance *compute;
  char uuid[SIM_TEXT];
  for (unsigned i = 0; gpu.mig_mode && sim_mig_device(&gpu, i, &instance, &compute); i++) {
    sim_mig_uuid(gpu.uuid, instance->id, compute->id, uuid);
    fprintf(output, "mig %u %u %s %u %u\n", index, i, uuid, instance->id, compute->id);
  }
}

void sim_show(const struct command *command, FILE *output) {
  sim_lock(command->state);
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    const struct sim_gpu *gpu = sim_gpu(command->state, i);
    fprintf(output, "gpu %u %u %s %08X:%02X:00.0 %u %s\n", i, gpu->minor, gpu->uuid, gpu->pci_domain, gpu->pci_bus,
            gpu->numa, gpu->name);
  }
  for (unsigned i = 0; i < command->state->gpu_count; i++) show_mig(*sim_gpu(command->state, i), i, output);
  sim_unlock(command->state);
}

static void show(const struct command *command) { sim_show(command, stdout); }

static void minors(const struct command *command) {
  (void)command;
  sim_minors(stdout);
}

static void mig(const struct command *command) {
  const char *path = sim_argument(command, 0);
  FILE *input = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
  if (input == NULL) sim_fail("%s: %s", path, strerror(errno));
  sim_read_layout(command, input);
  if (input != stdin) fclose(input);
}

static const struct {
  const char *name;
  void (*run)(const struct command *command);
} COMMANDS[] = {
    {"show", show},
    {"minors", minors},
    {"mig", mig},
    {"xid", sim_xid},
    {"ecc", sim_ecc},
    {"lost", sim_condition},
    {"restore", sim_condition},
    {"hang", sim_condition},
    {"release", sim_condition},
    {"busy", sim_busy},
    {"first-open", sim_first_open},
    {"footprint", sim_footprint},
    {"fail", sim_fail_call},
    {"reset", sim_reset},
    {"unload", sim_unload},
    {"load", sim_load},
    {"mismatch", sim_mismatch},
    {"match", sim_mismatch},
    {"set", sim_set},
    {"get", sim_get},
    {"process", sim_process},
    {"use", sim_use},
};

// Both "--flag value" and "--flag=value".
static const char *option(int count, char **arguments, const char *name) {
  size_t length = strlen(name);
  for (int i = 0; i < count; i++) {
    if (strcmp(arguments[i], name) == 0 && i + 1 < count) return arguments[i + 1];
    if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') return arguments[i] + length + 1;
  }
  return NULL;
}

static void create(int count, char **arguments) {
  const char *profile = option(count, arguments, "--profile"), *gpus = option(count, arguments, "--gpus");
  const char *driver = option(count, arguments, "--driver"), *cuda = option(count, arguments, "--cuda");
  if (count < 1 || profile == NULL) sim_fail("create: STATE and --profile are needed\n%s", USAGE);
  const struct sim_board *board = sim_board_by_key(profile);
  if (board == NULL) sim_fail("create: no profile %s; see 'nvml-sim profiles'", profile);
  unsigned number = gpus == NULL ? board->default_gpus : (unsigned)sim_number(gpus, SIM_MAX_GPUS);
  if (!sim_state_create(arguments[0], board, number, driver == NULL ? board->driver : driver,
                        cuda == NULL ? board->cuda : sim_cuda(cuda)))
    sim_fail("%s: %s", arguments[0], strerror(errno));
}

static void profiles(void) {
  for (unsigned i = 0; i < sim_board_count; i++) {
    const struct sim_board *board = sim_boards[i];
    printf("%-9s %s, %u MiB, %s, driver %s\n", board->key, board->name, board->memory_mib,
           board->mig == NULL ? "no MIG" : "MIG", board->driver);
  }
}

static void run(int count, char **arguments) {
  if (count < 2) sim_fail("too few arguments\n%s", USAGE);
  struct command command = {.name = arguments[1], .arguments = arguments + 2, .count = count - 2};
  sim_open(&command, arguments[0]);
  for (unsigned i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
    if (strcmp(COMMANDS[i].name, command.name) != 0) continue;
    COMMANDS[i].run(&command);
    return;
  }
  sim_fail("no command %s\n%s", command.name, USAGE);
}

int main(int count, char **arguments) {
  if (count < 2 || strcmp(arguments[1], "--help") == 0) {
    fputs(USAGE, count < 2 ? stderr : stdout);
    return count < 2;
  }
  if (strcmp(arguments[1], "profiles") == 0)
    profiles();
  else if (strcmp(arguments[1], "create") == 0)
    create(count - 2, arguments + 2);
  else
    run(count - 1, arguments + 1);
  return 0;
}
