// What goes wrong on a node: lost and hanging GPUs, an unloaded driver, a process killed with the lock in its hand.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../state.h"
#include "check.h"

static void aLostGpuIsLostAlone(void) {
  char text[96];
  unsigned count;
  nvmlDevice_t device;
  node("h100", 4);
  nvmlDevice_t lost = gpu(1);
  EXPECT(0, sim("lost 1"));
  EXPECT(NVML_ERROR_GPU_IS_LOST, nvmlDeviceGetName(lost, text, sizeof text));
  EXPECT(NVML_ERROR_GPU_IS_LOST, nvmlDeviceGetHandleByIndex_v2(1, &device));
  EXPECT(NVML_ERROR_GPU_IS_LOST, nvmlDeviceGetHandleByUUID("GPU-12345678-1234-1234-1234-123456780001", &device));
  OK(nvmlDeviceGetName(gpu(0), text, sizeof text));
  OK(nvmlDeviceGetName(gpu(2), text, sizeof text));
  OK(nvmlDeviceGetCount_v2(&count));
  EXPECT(4, count);
  EXPECT(0, sim("restore 1"));
  OK(nvmlDeviceGetName(lost, text, sizeof text));
}

static _Atomic long long answered_ms;

static void *callHungGpu(void *device) {
  unsigned celsius;
  OK(nvmlDeviceGetTemperature(device, 0, &celsius));
  atomic_store(&answered_ms, milliseconds());
  return NULL;
}

static void aHangingGpuBlocksOnlyItsOwnCalls(void) {
  pthread_t thread;
  char text[96];
  node("h100", 2);
  nvmlDevice_t hung = gpu(0);
  EXPECT(0, sim("hang 0"));
  pthread_create(&thread, NULL, callHungGpu, hung);
  usleep(100000);
  EXPECT(0, atomic_load(&answered_ms));
  OK(nvmlDeviceGetName(gpu(1), text, sizeof text));
  long long released = milliseconds();
  EXPECT(0, sim("release 0"));
  pthread_join(thread, NULL);
  CHECK(atomic_load(&answered_ms) - released < 3000);
}

static _Atomic int answers;

static void *readTemperature(void *device) {
  unsigned celsius;
  OK(nvmlDeviceGetTemperature(device, 0, &celsius));
  atomic_fetch_add(&answers, 1);
  return NULL;
}

static void *readMemory(void *device) {
  nvmlMemory_t memory;
  OK(nvmlDeviceGetMemoryInfo(device, &memory));
  atomic_fetch_add(&answers, 1);
  return NULL;
}

// Whatever is cached is answered meanwhile, and what does not take the lock on a real H100.
static void aHeldManagerBlocksAllCallsThatAskIt(void) {
  pthread_t threads[3];
  char text[96];
  unsigned number;
  nvmlDevice_t device;
  nvmlPciInfo_t pci;
  unsigned long long reasons;
  nvmlEventSet_t set;
  node("h100", 2);
  nvmlDevice_t one = gpu(0), other = gpu(1);
  EXPECT(0, sim("busy 60000"));
  pthread_create(&threads[0], NULL, readTemperature, one);
  pthread_create(&threads[1], NULL, readTemperature, other);
  pthread_create(&threads[2], NULL, readMemory, one);
  OK(nvmlDeviceGetCount_v2(&number));
  OK(nvmlDeviceGetHandleByIndex_v2(1, &device));
  OK(nvmlDeviceGetName(device, text, sizeof text));
  OK(nvmlDeviceGetUUID(device, text, sizeof text));
  OK(nvmlDeviceGetPciInfo_v3(device, &pci));
  OK(nvmlDeviceGetCurrentClocksEventReasons(device, &reasons));
  OK(nvmlEventSetCreate(&set));
  OK(nvmlEventSetFree(set));
  usleep(100000);
  EXPECT(0, atomic_load(&answers));
  EXPECT(0, sim("busy 0"));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  EXPECT(3, atomic_load(&answers));
}

static void heldManagerIsReleasedInTime(void) {
  node("h100", 1);
  nvmlDevice_t device = gpu(0);
  EXPECT(0, sim("busy 300"));
  readTemperature(device);
}

static long long openingTakes(unsigned index) {
  long long begin = milliseconds();
  gpu(index);
  return milliseconds() - begin;
}

static void withoutPersistenceAGpusFirstHandleIsSlow(void) {
  node("h100", 2);
  EXPECT(0, sim("first-open 300"));
  CHECK(openingTakes(0) >= 300);
  CHECK(openingTakes(0) < 300);
  CHECK(openingTakes(1) >= 300);
  OK(nvmlShutdown());
  OK(nvmlInit_v2());
  CHECK(openingTakes(0) >= 300);
  EXPECT(0, sim("first-open 0"));
  CHECK(openingTakes(1) < 300);
}

static long number_of(const char *key) {
  char line[256];
  long number = -1;
  FILE *status = fopen("/proc/self/status", "re");
  while (number < 0 && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, key, strlen(key)) == 0) number = strtol(line + strlen(key) + 1, NULL, 10);
  fclose(status);
  return number;
}

// What one GPU takes is in h100.c.
static void aFootprintGrowsWithTheGpusOrIsSwitchedOff(void) {
  enum { KIB = (14 + 8 * 4) * 1024 };
  node("h100", 8);
  OK(nvmlShutdown());
  long memory = number_of("VmRSS"), threads = number_of("Threads");
  CHECK(memory >= KIB);
  node("h100", 8);
  EXPECT(threads, number_of("Threads"));
  CHECK(number_of("VmRSS") < memory + KIB);
}

static void withoutAFootprintNothingIsTaken(void) {
  char command[640];
  long threads = number_of("Threads");
  snprintf(command, sizeof command, "%s create %s --profile h100 --gpus 8", getenv("NVML_SIM"), state_file());
  EXPECT(0, system(command));
  EXPECT(0, sim("footprint 0"));
  setenv("NVML_SIM_STATE", state_file(), 1);
  OK(nvmlInit_v2());
  EXPECT(threads, number_of("Threads"));
}

static void unloadingTheDriverEndsAHang(void) {
  node("h100", 1);
  nvmlDevice_t hung = gpu(0);
  EXPECT(0, sim("hang 0"));
  pid_t child = fork();
  if (child == 0) {
    unsigned celsius;
    EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, nvmlDeviceGetTemperature(hung, 0, &celsius));
    _exit(0);
  }
  EXPECT(0, sim("unload"));
  int status;
  waitpid(child, &status, 0);
  EXPECT(0, status);
}

static void afterAReloadNvmlMustBeReopened(void) {
  unsigned count;
  node("a100-80g", 2);
  nvmlDevice_t old = gpu(1);
  EXPECT(0, sim("unload"));
  EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, nvmlDeviceGetCount_v2(&count));
  EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, nvmlDeviceGetIndex(old, &count));
  EXPECT(0, sim("load"));
  EXPECT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount_v2(&count));
  OK(nvmlShutdown());
  OK(nvmlInit_v2());
  OK(nvmlDeviceGetCount_v2(&count));
  OK(nvmlShutdown());
  EXPECT(0, sim("unload --if-idle"));
  EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, nvmlInit_v2());
}

static void anOpenNvmlKeepsTheDriverBusy(void) {
  node("h100", 1);
  EXPECT(1, sim("unload --if-idle"));
  EXPECT(1, sim("reset all"));
  EXPECT(0, sim("reset all --force"));
  OK(nvmlShutdown());
  EXPECT(0, sim("process 0 12 64"));
  EXPECT(1, sim("reset 0"));
  EXPECT(0, sim("process 0 12 0"));
  EXPECT(0, sim("reset 0"));
  EXPECT(0, sim("unload --if-idle"));
}

static void aKilledUserIsNoUserAnyMore(void) {
  node("h100", 1);
  OK(nvmlShutdown());
  int pipes[2];
  EXPECT(0, pipe(pipes));
  pid_t child = fork();
  if (child == 0) {
    OK(nvmlInit_v2());
    CHECK(write(pipes[1], "x", 1) == 1);
    for (;;) pause();
  }
  char byte;
  CHECK(read(pipes[0], &byte, 1) == 1);
  EXPECT(1, sim("unload --if-idle"));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  EXPECT(0, sim("unload --if-idle"));
}

static void processKilledWithTheLockBlocksNoOther(void) {
  char name[96];
  node("h100", 1);
  int pipes[2];
  EXPECT(0, pipe(pipes));
  pid_t child = fork();
  if (child == 0) {
    struct sim_state *state = sim_state_open(state_file(), NULL);
    sim_lock(state);
    memset(sim_gpu_edit(state, 0), 0x55, sizeof(struct sim_gpu));  // half-way through a change
    CHECK(write(pipes[1], "x", 1) == 1);
    for (;;) pause();
  }
  char byte;
  CHECK(read(pipes[0], &byte, 1) == 1);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  OK(nvmlDeviceGetName(gpu(0), name, sizeof name));
  EXPECT_TEXT("NVIDIA H100 80GB HBM3", name);
  EXPECT(0, sim("set 0 temperature_c 44"));
  unsigned celsius;
  OK(nvmlDeviceGetTemperature(gpu(0), 0, &celsius));
  EXPECT(44, celsius);
}

// Processes that are killed at random points while they change a GPU leave a node that still answers.
static void killingWritersLeavesAConsistentNode(void) {
  node("h100", 1);
  nvmlReturn_t activation;
  OK(nvmlDeviceSetMigMode(gpu(0), 1, &activation));
  for (int round = 0; round < 20; round++) {
    pid_t child = fork();
    if (child == 0) {
      nvmlGpuInstance_t instance;
      for (;;)
        if (nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance) == NVML_SUCCESS) nvmlGpuInstanceDestroy(instance);
    }
    usleep(3000 + 700 * (unsigned)round);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    nvmlGpuInstance_t listed[8];
    unsigned count;
    OK(nvmlDeviceGetGpuInstances(gpu(0), 19, listed, &count));
    CHECK(count <= 1);
    for (unsigned i = 0; i < count; i++) OK(nvmlGpuInstanceDestroy(listed[i]));
  }
}

static void aResetForgetsVolatileErrors(void) {
  unsigned long long count;
  node("h100", 1);
  EXPECT(0, sim("ecc 0 double"));
  OK(nvmlDeviceGetTotalEccErrors(gpu(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &count));
  EXPECT(1, count);
  EXPECT(0, sim("reset 0 --force"));
  OK(nvmlDeviceGetTotalEccErrors(gpu(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &count));
  EXPECT(0, count);
  OK(nvmlDeviceGetTotalEccErrors(gpu(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, &count));
  EXPECT(1, count);
}

static void aLibraryOfAnotherVersionCannotBeOpened(void) {
  char text[96];
  node("h100", 1);
  EXPECT(0, sim("mismatch"));
  OK(nvmlDeviceGetName(gpu(0), text, sizeof text));
  OK(nvmlShutdown());
  EXPECT(NVML_ERROR_LIB_RM_VERSION_MISMATCH, nvmlInit_v2());
  EXPECT(0, sim("match"));
  OK(nvmlInit_v2());
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(aLostGpuIsLostAlone), TEST(aHangingGpuBlocksOnlyItsOwnCalls), TEST(unloadingTheDriverEndsAHang),
      TEST(afterAReloadNvmlMustBeReopened), TEST(anOpenNvmlKeepsTheDriverBusy), TEST(aKilledUserIsNoUserAnyMore),
      TEST(processKilledWithTheLockBlocksNoOther), TEST(killingWritersLeavesAConsistentNode),
      TEST(aResetForgetsVolatileErrors), TEST(aHeldManagerBlocksAllCallsThatAskIt), TEST(heldManagerIsReleasedInTime),
      TEST(withoutPersistenceAGpusFirstHandleIsSlow), TEST(aFootprintGrowsWithTheGpusOrIsSwitchedOff),
      TEST(withoutAFootprintNothingIsTaken),
      TEST(aLibraryOfAnotherVersionCannotBeOpened)};
  return RUN("faults", tests);
}
