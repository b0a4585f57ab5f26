// The simulated libcuda: a sum that is really computed, and the faults of its node.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../test/check.h"
#include "../../nvml_functions.h"
#include "../driver.h"

enum { COUNT = 1000 };

static const char PTX[] =
    ".version 6.0\n.target sm_52\n.visible .entry sum(\n .param .u64 a,\n .param .u64 b,\n .param .u64 c,\n"
    " .param .u32 n)\n{ add.rn.f32 %a, %a, %b; }\n";

// A folder whose only content is the compiler, as an empty file.
static void compiler(void) {
  char file[320];
  static char folder[128];
  snprintf(folder, sizeof folder, "%s.lib", state_file());
  snprintf(file, sizeof file, "mkdir -p %s && touch %s/libnvidia-ptxjitcompiler.so.1", folder, folder);
  EXPECT(0, system(file));
  setenv("LD_LIBRARY_PATH", folder, 1);
}

static void clear(void) {
  char command[320];
  snprintf(command, sizeof command, "rm -rf %s.lib", state_file());
  EXPECT(0, system(command));
}

static CUdevice open_gpu(int ordinal) {
  CUdevice device;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, ordinal));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  return device;
}

static CUdeviceptr upload(const float *values) {
  CUdeviceptr address;
  OK(cuMemAlloc_v2(&address, COUNT * sizeof(float)));
  OK(cuMemcpyHtoD_v2(address, values, COUNT * sizeof(float)));
  return address;
}

static CUfunction kernel(CUmodule *module) {
  CUfunction function;
  OK(cuModuleLoadDataEx(module, PTX, 0, NULL, NULL));
  EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, *module, "another"));
  OK(cuModuleGetFunction(&function, *module, "sum"));
  return function;
}

static void everySumIsComputed(void) {
  float one[COUNT], other[COUNT], sum[COUNT];
  node("h100", 2);
  compiler();
  CUdevice device = open_gpu(1);
  for (int i = 0; i < COUNT; i++) {
    one[i] = (float)i;
    other[i] = 0.5f * (float)i;
  }
  CUmodule module;
  CUfunction function = kernel(&module);
  CUdeviceptr a = upload(one), b = upload(other), c = upload(one);
  uint32_t count = COUNT;
  void *parameters[] = {&a, &b, &c, &count};
  OK(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH_v2(sum, c, sizeof sum));
  for (int i = 0; i < COUNT; i++) CHECK(sum[i] == one[i] + other[i]);
  count = COUNT + 1;
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
  OK(cuMemFree_v2(a));
  OK(cuMemFree_v2(b));
  OK(cuMemFree_v2(c));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(c));
  OK(cuModuleUnload(module));
  OK(cuDevicePrimaryCtxRelease_v2(device));
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  clear();
}

static void onlyVisibleGpusAreThere(void) {
  int count;
  CUuuid uuid;
  node("h100", 4);
  setenv("CUDA_VISIBLE_DEVICES", "GPU-12345678-1234-1234-1234-123456780002,7,0", 1);
  EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  EXPECT(1, count);
  OK(cuDeviceGetUuid_v2(&uuid, 0));
  EXPECT(0, memcmp(uuid.bytes, "\x12\x34\x56\x78\x12\x34\x12\x34\x12\x34\x12\x34\x56\x78\x00\x02", 16));
  EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid_v2(&uuid, 1));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(NULL));
}

static void aLostGpuIsNotThere(void) {
  int count;
  node("h100", 2);
  EXPECT(0, sim("lost 0"));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  EXPECT(1, count);
}

static void anUnloadedDriverHasNoGpu(void) {
  node("h100", 2);
  EXPECT(0, sim("unload"));
  EXPECT(CUDA_ERROR_NO_DEVICE, cuInit(0));
}

static void aGpuThatIsLostLaterFailsTheLaunch(void) {
  node("h100", 1);
  open_gpu(0);
  EXPECT(0, sim("lost 0"));
  EXPECT(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
}

static void exclusiveGpuRefusesOthers(void) {
  CUcontext context;
  int mode;
  node("h100", 1);
  EXPECT(0, sim("set 0 compute_mode 3"));
  EXPECT(0, sim("process 0 4711 1024"));
  OK(cuInit(0));
  EXPECT(CUDA_ERROR_DEVICE_UNAVAILABLE, cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT(0, sim("process 0 4711 0"));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT(0, sim("set 0 compute_mode 2"));
  OK(cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0));
  EXPECT(CU_COMPUTEMODE_PROHIBITED, mode);
  EXPECT(CUDA_ERROR_DEVICE_UNAVAILABLE, cuDevicePrimaryCtxRetain(&context, 0));
}

static void whereMemoryIsUsedUpThereIsNoContext(void) {
  CUcontext context;
  node("t4", 1);
  EXPECT(0, sim("set 0 memory_used_mib 15000"));
  OK(cuInit(0));
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuDevicePrimaryCtxRetain(&context, 0));
}

static void withoutTheFabricNothingStarts(void) {
  node("h100", 8);
  EXPECT(0, sim("set 3 fabric_state 2"));
  EXPECT(CUDA_ERROR_SYSTEM_NOT_READY, cuInit(0));
  setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  EXPECT(CUDA_ERROR_SYSTEM_NOT_READY, cuInit(0));
  EXPECT(0, sim("set 3 fabric_state 3"));
  OK(cuInit(0));
}

static void aGpuThatIsNotSeenMayLackTheFabric(void) {
  node("h100", 8);
  EXPECT(0, sim("set 3 fabric_state 2"));
  setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  OK(cuInit(0));
}

static void theCompilerSaysWhatItDoesNotUnderstand(void) {
  char log[64] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUmodule module;
  node("h100", 1);
  open_gpu(0);
  unsetenv("LD_LIBRARY_PATH");
  EXPECT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, cuModuleLoadDataEx(&module, PTX, 2, options, values));
  compiler();
  EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, ".version 6.0", 2, options, values));
  CHECK(strstr(log, "not understood") != NULL);
  clear();
}

static void *release(void *nothing) {
  usleep(100000);
  EXPECT(0, sim("release 0"));
  return nothing;
}

static void aHungGpuHoldsItsCallerUntilItIsReleased(void) {
  pthread_t thread;
  node("h100", 1);
  open_gpu(0);
  EXPECT(0, sim("hang 0"));
  long long start = milliseconds();
  pthread_create(&thread, NULL, release, NULL);
  OK(cuCtxSynchronize());
  CHECK(milliseconds() - start >= 90);
  pthread_join(thread, NULL);
}

static void aMigGpuShowsTheMigDeviceThatIsNamed(void) {
  int count;
  node("h100", 2);
  EXPECT(0, sim_lines("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n", "mig -"));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  EXPECT(2, count);
}

static unsigned processes_of(unsigned index, unsigned *pid) {
  nvmlDevice_t gpu;
  nvmlProcessInfo_t found[4];
  unsigned count = 4;
  EXPECT(NVML_SUCCESS, nvmlInit_v2());
  EXPECT(NVML_SUCCESS, nvmlDeviceGetHandleByIndex_v2(index, &gpu));
  EXPECT(NVML_SUCCESS, nvmlDeviceGetComputeRunningProcesses_v3(gpu, &count, found));
  EXPECT(NVML_SUCCESS, nvmlShutdown());
  *pid = count == 0 ? 0 : found[0].pid;
  return count;
}

static void aContextIsAProcessOfItsGpu(void) {
  unsigned pid;
  node("h100", 2);
  CUdevice device = open_gpu(1);
  EXPECT(0, processes_of(0, &pid));
  EXPECT(1, processes_of(1, &pid));
  EXPECT((unsigned)getpid(), pid);
  EXPECT(0, sim("set 1 compute_mode 3"));
  CUcontext again;
  OK(cuDevicePrimaryCtxRetain(&again, device));
  OK(cuDevicePrimaryCtxRelease_v2(device));
  EXPECT(1, processes_of(1, &pid));
  OK(cuDevicePrimaryCtxRelease_v2(device));
  EXPECT(0, processes_of(1, &pid));
}

static void aProcessThatIsKilledHasNoContext(void) {
  unsigned pid;
  int ready[2];
  char byte;
  node("h100", 1);
  CHECK(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    open_gpu(0);
    CHECK(write(ready[1], "x", 1) == 1);
    for (;;) pause();
  }
  CHECK(read(ready[0], &byte, 1) == 1);
  EXPECT(1, processes_of(0, &pid));
  EXPECT((unsigned)child, pid);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  EXPECT(0, processes_of(0, &pid));
}

static long resident_kib(void) {
  long kib = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "VmRSS: %ld", &kib);
  CHECK(file != NULL && fclose(file) == 0);
  return kib;
}

// pytorch/pytorch issue 113326.
static void aContextTakesMemoryOfTheHost(void) {
  node("h100", 1);
  OK(cuInit(0));
  long before = resident_kib();
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(resident_kib() - before >= 114 * 1024);
}

int main(void) {
  const struct check_test tests[] = {
      TEST(everySumIsComputed),
      TEST(onlyVisibleGpusAreThere),
      TEST(aLostGpuIsNotThere),
      TEST(anUnloadedDriverHasNoGpu),
      TEST(aGpuThatIsLostLaterFailsTheLaunch),
      TEST(exclusiveGpuRefusesOthers),
      TEST(whereMemoryIsUsedUpThereIsNoContext),
      TEST(withoutTheFabricNothingStarts),
      TEST(aGpuThatIsNotSeenMayLackTheFabric),
      TEST(theCompilerSaysWhatItDoesNotUnderstand),
      TEST(aHungGpuHoldsItsCallerUntilItIsReleased),
      TEST(aMigGpuShowsTheMigDeviceThatIsNamed),
      TEST(aContextIsAProcessOfItsGpu),
      TEST(aProcessThatIsKilledHasNoContext),
      TEST(aContextTakesMemoryOfTheHost),
  };
  return RUN("cuda", tests);
}
