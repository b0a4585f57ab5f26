// nvml-sim: makes a simulated node, shows it and injects faults while it runs.
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "mig_plan.h"
#include "nvml_abi.h"

static const char USAGE[] =
    "nvml-sim profiles\n"
    "nvml-sim create STATE --profile PROFILE [--gpus N] [--driver VERSION] [--cuda MAJOR.MINOR]\n"
    "nvml-sim STATE show\n"
    "nvml-sim STATE mig FILE|-             replace the MIG layout of the GPUs that the lines name\n"
    "nvml-sim STATE xid GPU CODE [GI CI]   post an Xid event\n"
    "nvml-sim STATE ecc GPU single|double  count an ECC error and post its event\n"
    "nvml-sim STATE lost GPU | restore GPU the GPU falls off the bus, comes back\n"
    "nvml-sim STATE hang GPU | release GPU every call on the GPU blocks, goes on\n"
    "nvml-sim STATE reset GPU|all [--force]  refused while a process uses NVML or the GPU\n"
    "nvml-sim STATE unload [--if-idle] | load\n"
    "nvml-sim STATE process GPU PID MIB [GI CI]  MIB 0: the process ends\n"
    "nvml-sim STATE set GPU KEY VALUE      'nvml-sim STATE get GPU' lists the keys\n"
    "nvml-sim STATE get GPU [KEY]\n";

void sim_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("nvml-sim: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

uint64_t sim_number(const char *text, uint64_t limit) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 0);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value > limit)
    sim_fail("not a number up to %llu: %s", (unsigned long long)limit, text);
  return value;
}

static const char *argument(const struct command *command, int position) {
  if (position >= command->count) sim_fail("%s: too few arguments\n%s", command->name, USAGE);
  return command->arguments[position];
}

unsigned sim_gpu_argument(const struct command *command, int position) {
  unsigned index = (unsigned)sim_number(argument(command, position), SIM_MAX_GPUS);
  if (index >= command->state->gpu_count) sim_fail("no GPU %u: there are %u", index, command->state->gpu_count);
  return index;
}

static uint16_t instance_argument(const struct command *command, int position) {
  return position < command->count ? (uint16_t)sim_number(command->arguments[position], 127) : SIM_NO_INSTANCE;
}

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

static void mig(const struct command *command) {
  const char *path = argument(command, 0);
  FILE *input = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
  if (input == NULL) sim_fail("%s: %s", path, strerror(errno));
  sim_read_layout(command, input);
  if (input != stdin) fclose(input);
}

static void xid(const struct command *command) {
  unsigned gpu = sim_gpu_argument(command, 0);
  struct sim_event event = {.gpu = gpu, .type = nvmlEventTypeXidCriticalError,
                            .data = sim_number(argument(command, 1), UINT32_MAX),
                            .gpu_instance = instance_argument(command, 2),
                            .compute_instance = instance_argument(command, 3)};
  sim_lock(command->state);
  sim_event_post(command->state, event);
  sim_unlock(command->state);
}

static void ecc(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *kind = argument(command, 1);
  bool twice = strcmp(kind, "double") == 0;
  if (!twice && strcmp(kind, "single") != 0) sim_fail("ecc: single or double, not %s", kind);
  sim_lock(command->state);
  struct sim_readings *readings = &sim_gpu_edit(command->state, index)->readings;
  ++*(twice ? &readings->ecc_double_volatile : &readings->ecc_single_volatile);
  ++*(twice ? &readings->ecc_double_total : &readings->ecc_single_total);
  sim_gpu_commit(command->state, index);
  sim_event_post(command->state,
                 (struct sim_event){index, SIM_NO_INSTANCE, SIM_NO_INSTANCE,
                                    twice ? nvmlEventTypeDoubleBitEccError : nvmlEventTypeSingleBitEccError, 0});
  sim_unlock(command->state);
}

static void condition(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *name = command->name;
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  if (strcmp(name, "lost") == 0 || strcmp(name, "restore") == 0) gpu->lost = strcmp(name, "lost") == 0;
  if (strcmp(name, "hang") == 0 || strcmp(name, "release") == 0) gpu->hung = strcmp(name, "hang") == 0;
  sim_gpu_commit(command->state, index);
  sim_signal(command->state);
  sim_unlock(command->state);
}

// Every process with an open NVML holds a shared lock on the first byte of the state file.
static bool is_in_use(const struct command *command) {
  int file = open(command->arguments[-2], O_RDWR | O_CLOEXEC);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  bool used = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (file >= 0) close(file);
  return used;
}

static bool has_flag(const struct command *command, const char *flag) {
  for (int i = 0; i < command->count; i++)
    if (strcmp(command->arguments[i], flag) == 0) return true;
  return false;
}

static bool has_processes(const struct sim_gpu *gpu) {
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++)
    if (gpu->processes[i].pid != 0) return true;
  return false;
}

static void reset(const struct command *command) {
  bool all = strcmp(argument(command, 0), "all") == 0;
  unsigned first = all ? 0 : sim_gpu_argument(command, 0), last = all ? command->state->gpu_count - 1 : first;
  bool force = has_flag(command, "--force");
  if (!force && is_in_use(command)) sim_fail("reset: in use by another client (NVML is open)");
  sim_lock(command->state);
  bool busy = false;
  for (unsigned i = first; i <= last; i++) busy |= has_processes(sim_gpu(command->state, i));
  for (unsigned i = first; (force || !busy) && i <= last; i++) {
    sim_gpu_reset(command->board, sim_gpu_edit(command->state, i));
    sim_gpu_commit(command->state, i);
  }
  sim_signal(command->state);
  sim_unlock(command->state);
  if (busy && !force) sim_fail("reset: in use by another client (a process runs on the GPU)");
}

static void unload(const struct command *command) {
  if (has_flag(command, "--if-idle") && is_in_use(command)) sim_fail("unload: the driver is in use");
  sim_lock(command->state);
  atomic_store(&command->state->loaded, 0);
  sim_signal(command->state);
  sim_unlock(command->state);
}

static void load(const struct command *command) {
  sim_lock(command->state);
  if (!atomic_load(&command->state->loaded)) {
    command->state->generation++;
    command->state->loaded_at_ns = sim_now_ns();
    atomic_store(&command->state->loaded, 1);
    sim_signal(command->state);
  }
  sim_unlock(command->state);
}

static void set(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *key = argument(command, 1), *value = argument(command, 2);
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  uint64_t *reading = sim_reading(gpu, key);
  if (strcmp(key, "name") == 0)
    snprintf(gpu->name, sizeof gpu->name, "%s", value);
  else if (strcmp(key, "uuid") == 0)
    snprintf(gpu->uuid, sizeof gpu->uuid, "%s", value);
  else if (strcmp(key, "minor") == 0)
    gpu->minor = (uint32_t)sim_number(value, 255);
  else if (strcmp(key, "numa") == 0)
    gpu->numa = (uint8_t)sim_number(value, 255);
  else if (reading != NULL)
    *reading = sim_number(value, UINT64_MAX);
  else
    sim_fail("set: unknown key %s", key);
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
}

static void get(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  sim_lock(command->state);
  struct sim_gpu gpu = *sim_gpu(command->state, index);
  sim_unlock(command->state);
  const char *wanted = command->count > 1 ? command->arguments[1] : NULL;
  bool found = wanted == NULL;
#define X(name)                                                       \
  if (wanted == NULL || strcmp(wanted, #name) == 0) {                 \
    found = true;                                                     \
    printf("%s %llu\n", #name, (unsigned long long)gpu.readings.name); \
  }
  SIM_READINGS(X)
#undef X
  if (!found) sim_fail("get: unknown key %s", wanted);
}

static void process(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  uint32_t pid = (uint32_t)sim_number(argument(command, 1), UINT32_MAX);
  uint32_t memory_mib = (uint32_t)sim_number(argument(command, 2), UINT32_MAX);
  struct sim_process wanted = {pid, memory_mib, instance_argument(command, 3), instance_argument(command, 4)};
  if (pid == 0) sim_fail("process: no pid");
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  struct sim_process *entry = NULL;
  for (unsigned i = SIM_MAX_PROCESSES; i-- > 0;)
    if (gpu->processes[i].pid == 0 && (entry == NULL || entry->pid == 0)) entry = &gpu->processes[i];
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++)
    if (gpu->processes[i].pid == pid) entry = &gpu->processes[i];
  if (entry == NULL) sim_fail("process: no more than %d a GPU", SIM_MAX_PROCESSES);
  *entry = memory_mib == 0 ? (struct sim_process){0} : wanted;
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
}

static const struct {
  const char *name;
  void (*run)(const struct command *command);
} COMMANDS[] = {
    {"show", show},       {"mig", mig},         {"xid", xid},           {"ecc", ecc},     {"lost", condition},
    {"restore", condition}, {"hang", condition}, {"release", condition}, {"reset", reset}, {"unload", unload},
    {"load", load},       {"set", set},         {"get", get},           {"process", process},
};

static int parse_cuda(const char *text) {
  int major, minor;
  char rest;
  if (sscanf(text, "%d.%d%c", &major, &minor, &rest) != 2) sim_fail("--cuda: MAJOR.MINOR, not %s", text);
  return 1000 * major + 10 * minor;
}

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
                        cuda == NULL ? board->cuda : parse_cuda(cuda)))
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
  command.state = sim_state_open(arguments[0], NULL);
  if (command.state == NULL) sim_fail("%s: %s", arguments[0], strerror(errno));
  command.board = sim_board_by_key(command.state->board_key);
  if (command.board == NULL) sim_fail("%s: made by another version", arguments[0]);
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
