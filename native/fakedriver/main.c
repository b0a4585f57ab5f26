// A simulated driver container: the entry point "nvidia-driver" over the files of a simulated node and the state of its
// GPUs. README.md says what it does.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../sim/command.h"
#include "devices.h"
#include "files.h"
#include "modules.h"
#include "proc.h"

static const char PID_FILE[] = "/run/nvidia/nvidia-driver.pid";
static const char DIGEST_FILE[] = "/run/nvidia/nvidia-driver.state";
static const char STATUS_FILE[] = "/run/nvidia/validations/.driver-daemons-status";

// Names that a real driver 580.159.04 registers besides; no node of a GPU has their numbers.
static const char *const OTHER_NAMES[] = {"nvidia-nvswitch", "nvidia-nvlink", "nvidia-caps-imex-channels"};
enum { OTHERS = sizeof OTHER_NAMES / sizeof OTHER_NAMES[0] };

static const char *variable(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value == NULL || value[0] == '\0' ? otherwise : value;
}

static const char *root(void) { return variable("FAKEDRIVER_ROOT", ""); }

static void write_below(const char *place, const char *text) {
  char path[PATH_MAX];
  below(path, root(), place, NULL);
  write_file(path, text);
}

static const char *state(void) { return variable("NVML_SIM_STATE", "nvml-sim.state"); }

// A command of nvml-sim in a process of its own, since it ends the process when it is refused.
static bool simulate(void (*run)(const struct command *), char *arguments[]) {
  int count = 0;
  while (arguments[count] != NULL) count++;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    struct command command = {.name = "nvidia-driver", .arguments = arguments, .count = count};
    sim_open(&command, state());
    run(&command);
    _exit(0);
  }
  int status = 1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool unload_if_idle(void) { return simulate(sim_unload, (char *[]){"--if-idle", NULL}); }

// The driver that the loaded modules are.
static void load_boards(void) {
  char *version = getenv("DRIVER_VERSION"), *cuda = getenv("FAKEDRIVER_CUDA");
  if (!simulate(sim_load, (char *[]){version, version == NULL ? NULL : cuda, NULL}))
    fail("the state of the GPUs cannot be changed");
}

// Where the files of this container are shown to the node; empty where the node has files of its own.
static const char *shown_at(void) { return variable("FAKEDRIVER_FILES", ""); }

// In a container its own folder, which is a file system of its own; nothing of it outlives the container.
static void make_nodes_of(const struct command *command) {
  char path[PATH_MAX];
  int gpus = 0;
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    int minor = (int)sim_gpu(command->state, i)->minor;
    if (minor >= gpus) gpus = minor + 1;
  }
  below(path, shown_at()[0] == '\0' ? root() : "", "/dev", NULL);
  device_nodes(path, gpus);
}

static void make_nodes(void) { simulate(make_nodes_of, (char *[]){NULL}); }

// Device files come and go with a driver, which is how others hear of it. A pod of a driver shares the processes of its
// node, and so reaches the node's own /dev.
static void announce(void) {
  char path[PATH_MAX];
  below(path, shown_at()[0] == '\0' ? root() : "/proc/1/root", "/dev/nvidia-simulated-driver", NULL);
  write_file(path, "");
  unlink(path);
}

static void load(void) {
  module_load(root(), "nvidia", NULL);
  device_register_fixed(root(), "nvidia", 195);
  device_register_fixed(root(), "nvidiactl", 195);
  device_register(root(), "nvidia-caps", 237, 234);
  for (unsigned i = 0; i < OTHERS; i++) device_register(root(), OTHER_NAMES[i], 233, 200);
  module_load(root(), "nvidia_uvm", "nvidia");
  device_register(root(), "nvidia-uvm", 510, 384);
  module_load(root(), "nvidia_modeset", "nvidia");
  device_register_fixed(root(), "nvidia-modeset", 195);
  proc_write(root(), variable("DRIVER_VERSION", "0"));
  load_boards();
  announce();
  puts("nvidia-driver: loaded");
}

// One module, as rmmod does it. NVML that is open is a user of the driver.
static bool remove_module(const char *name) {
  bool is_driver = strcmp(name, "nvidia") == 0;
  if (module_references(root(), name) != 0) return false;
  if (is_driver && !unload_if_idle()) return false;
  if (!module_unload(root(), name)) return false;
  if (strcmp(name, "nvidia_uvm") == 0) device_unregister(root(), "nvidia-uvm");
  if (strcmp(name, "nvidia_modeset") == 0) device_unregister(root(), "nvidia-modeset");
  if (is_driver) {
    device_unregister(root(), "nvidia");
    device_unregister(root(), "nvidiactl");
    device_unregister(root(), "nvidia-caps");
    for (unsigned i = 0; i < OTHERS; i++) device_unregister(root(), OTHER_NAMES[i]);
    proc_remove(root());
    announce();
  }
  return true;
}

// As the script of the driver's containers does it: all or, as far as can be known before, nothing.
static bool unload(void) {
  static const char *const ORDER[] = {"nvidia_modeset", "nvidia_uvm", "nvidia_peermem", "gdrdrv", "nvidia"};
  if (!driver_is_idle(root())) return false;
  // Whether NVML is open shows in no count of this simulated kernel.
  if (module_references(root(), "nvidia") >= 0 && !unload_if_idle()) return false;
  for (unsigned i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++)
    if (module_references(root(), ORDER[i]) >= 0 && !remove_module(ORDER[i])) return false;
  puts("nvidia-driver: unloaded");
  return true;
}

static void lay(const char *source, const char *root, const char *target) {
  char path[PATH_MAX];
  below(path, root, target, NULL);
  if (mount(source, path, NULL, MS_BIND, NULL) != 0) fail("mount %s on %s: %s", source, path, strerror(errno));
}

static void hide_files(void) {
  while (shown_at()[0] != '\0' && umount2(shown_at(), MNT_DETACH) == 0) {
  }
}

// As a driver container shows its root to the node, with its own /dev (it mounts "/" recursively there) and, beside the
// library, the boards. In turn the container sees the modules of the simulated kernel.
static void show_files(void) {
  const char *place = shown_at();
  char path[PATH_MAX];
  if (place[0] == '\0') return;
  hide_files();
  below(path, place, "/", NULL);
  make_way(path);
  lay("/", place, "");
  lay("/dev", place, "/dev");
  lay(state(), place, "/nvml-sim.state");
  below(path, root(), "/sys/module", NULL);
  lay(path, "", "/sys/module");
}

// The file stays open, and so locked, until the process ends.
static void be_the_only_one(void) {
  char path[PATH_MAX], text[32];
  below(path, root(), PID_FILE, NULL);
  make_way(path);
  int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (file < 0) fail("%s: %s", path, strerror(errno));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) fail("an instance of the driver is already running");
  int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
  if (ftruncate(file, 0) != 0 || write(file, text, (size_t)length) != length) fail("%s: %s", path, strerror(errno));
}

static bool is_installed(const char *digest) {
  char path[PATH_MAX], text[256];
  below(path, root(), DIGEST_FILE, NULL);
  return digest[0] != '\0' && module_references(root(), "nvidia") >= 0 && read_file(path, text, sizeof text) &&
         strcmp(text, digest) == 0;
}

// How long a driver takes to be built. False where the order to end came first.
static bool build(const sigset_t *ends) {
  long milliseconds = strtol(variable("FAKEDRIVER_START_MS", "0"), NULL, 10);
  struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  return sigtimedwait(ends, NULL, &time) < 0;
}

static int init(void) {
  const char *digest = variable("DRIVER_CONFIG_DIGEST", "");
  sigset_t ends;
  int signal;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  be_the_only_one();
  write_below(STATUS_FILE, "NotReady\n");
  if (is_installed(digest)) {
    puts("nvidia-driver: the driver that is loaded is the one that is wanted");
  } else {
    if (module_references(root(), "nvidia") >= 0 && !unload())
      fail("the driver is in use and cannot be unloaded");
    if (!build(&ends)) return 0;
    load();
  }
  make_nodes();
  show_files();
  write_below(DIGEST_FILE, digest);
  write_below(STATUS_FILE, "Ready\n");
  announce();
  puts("nvidia-driver: ready");
  fflush(NULL);
  sigwait(&ends, &signal);
  if (!unload()) fail("the driver is in use and stays loaded");
  hide_files();
  return 0;
}

int main(int count, char **words) {
  const char *command = count > 1 ? words[1] : "", *module = count > 2 ? words[2] : "";
  if (strcmp(command, "init") == 0) return init();
  if (strcmp(command, "rmmod") == 0 && count == 3) {
    if (module_references(root(), module) < 0) return 0;
    if (!remove_module(module)) fail("module %s is in use", module);
    return 0;
  }
  if ((strcmp(command, "use") == 0 || strcmp(command, "release") == 0) && count == 3) {
    module_use(root(), module, command[0] == 'u' ? 1 : -1);
    return 0;
  }
  fputs("nvidia-driver init [-a] [-m N] | rmmod MODULE | use MODULE | release MODULE\n", stderr);
  return 2;
}
