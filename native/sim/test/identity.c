// Enumeration, names and ids, as every board gives them.
#include <string.h>

#include "check.h"

static void everyBoardSaysWhatItIs(void) {
  static const struct {
    const char *profile, *name, *driver;
    int cuda, major, minor;
    unsigned pci, mib;
  } boards[] = {
      {"t4", "Tesla T4", "550.163.01", 12040, 7, 5, 0x1EB810DE, 15360},
      {"l40s", "NVIDIA L40S", "550.163.01", 12040, 8, 9, 0x26B910DE, 46068},
      {"a30", "NVIDIA A30", "550.163.01", 12040, 8, 0, 0x20B710DE, 24576},
      {"a100-40g", "NVIDIA A100-SXM4-40GB", "550.163.01", 12040, 8, 0, 0x20B010DE, 40960},
      {"a100-80g", "NVIDIA A100-SXM4-80GB", "550.163.01", 12040, 8, 0, 0x20B210DE, 81920},
      {"h100", "NVIDIA H100 80GB HBM3", "550.163.01", 12040, 9, 0, 0x233010DE, 81559},
      {"h200", "NVIDIA H200", "550.163.01", 12040, 9, 0, 0x233510DE, 143771},
      {"b200", "NVIDIA B200", "570.172.08", 12080, 10, 0, 0x290110DE, 183359},
      {"gb200", "NVIDIA GB200", "570.172.08", 12080, 10, 0, 0x294110DE, 189471},
  };
  for (unsigned i = 0; i < sizeof boards / sizeof boards[0]; i++) {
    node(boards[i].profile, 4);
    char text[96];
    int cuda, major, minor;
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
    OK(nvmlDeviceGetName(gpu(3), text, sizeof text));
    EXPECT_TEXT(boards[i].name, text);
    OK(nvmlSystemGetDriverVersion(text, 80));
    EXPECT_TEXT(boards[i].driver, text);
    OK(nvmlSystemGetCudaDriverVersion(&cuda));
    EXPECT(boards[i].cuda, cuda);
    OK(nvmlDeviceGetCudaComputeCapability(gpu(0), &major, &minor));
    EXPECT(boards[i].major, major);
    EXPECT(boards[i].minor, minor);
    OK(nvmlDeviceGetPciInfo_v3(gpu(0), &pci));
    EXPECT(boards[i].pci, pci.pciDeviceId);
    OK(nvmlDeviceGetMemoryInfo(gpu(0), &memory));
    EXPECT(boards[i].mib, memory.total >> 20);
    EXPECT(memory.total, memory.free + memory.used);
    OK(nvmlShutdown());
  }
}

static void gpusAreFoundByIndexUuidAndAddress(void) {
  unsigned count, index, minor;
  char uuid[96];
  nvmlDevice_t device;
  nvmlPciInfo_t pci;
  node("h100", 8);
  OK(nvmlDeviceGetCount_v2(&count));
  EXPECT(8, count);
  for (unsigned i = 0; i < count; i++) {
    OK(nvmlDeviceGetUUID(gpu(i), uuid, sizeof uuid));
    OK(nvmlDeviceGetHandleByUUID(uuid, &device));
    CHECK(device == gpu(i));
    OK(nvmlDeviceGetPciInfo_v3(device, &pci));
    OK(nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &device));
    CHECK(device == gpu(i));
    OK(nvmlDeviceGetHandleByPciBusId_v2(pci.busIdLegacy, &device));
    CHECK(device == gpu(i));
    OK(nvmlDeviceGetIndex(device, &index));
    OK(nvmlDeviceGetMinorNumber(device, &minor));
    EXPECT(i, index);
    EXPECT(i, minor);
  }
  EXPECT_TEXT("GPU-12345678-1234-1234-1234-123456780007", uuid);
  EXPECT_TEXT("00000000:DF:00.0", pci.busId);
  EXPECT_TEXT("0000:DF:00.0", pci.busIdLegacy);
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex_v2(8, &device));
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-unknown", &device));
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId_v2("00000000:FE:00.0", &device));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByPciBusId_v2("here", &device));
}

static void nvmlIsOpenUntilItsLastUserCloses(void) {
  unsigned count;
  node("t4", 2);
  OK(nvmlInit_v2());
  OK(nvmlShutdown());
  OK(nvmlDeviceGetCount_v2(&count));
  OK(nvmlShutdown());
  EXPECT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount_v2(&count));
  EXPECT(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
}

static void withoutAStateThereIsNoDriver(void) {
  setenv("NVML_SIM_STATE", "/tmp/nvml-sim-no-such-state", 1);
  EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, nvmlInit_v2());
  setenv("NVML_SIM_STATE", "/etc/passwd", 1);
  CHECK(nvmlInit_v2() != NVML_SUCCESS);
}

static void aFreshStateIsSeenByTheNextUser(void) {
  char name[96];
  node("t4", 1);
  OK(nvmlShutdown());
  node("b200", 2);
  OK(nvmlDeviceGetName(gpu(1), name, sizeof name));
  EXPECT_TEXT("NVIDIA B200", name);
}

static void badArgumentsAreRefused(void) {
  char text[4];
  unsigned value;
  unsigned long long mask;
  node("t4", 1);
  EXPECT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(gpu(0), text, sizeof text));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetName(NULL, text, sizeof text));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetName((nvmlDevice_t)&value, text, sizeof text));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetName(gpu(0), NULL, 96));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetIndex(gpu(0), NULL));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetSupportedEventTypes(gpu(0), NULL));
  OK(nvmlDeviceGetSupportedEventTypes(gpu(0), &mask));
  EXPECT(0x1F, mask);
}

static void everyReturnCodeHasAText(void) {
  EXPECT_TEXT("Success", nvmlErrorString(NVML_SUCCESS));
  EXPECT_TEXT("GPU is lost", nvmlErrorString(NVML_ERROR_GPU_IS_LOST));
  EXPECT_TEXT("Unknown Error", nvmlErrorString((nvmlReturn_t)12345));
}

static void eachSortOfProcessHasACallOfItsOwn(void) {
  nvmlProcessInfo_t processes[4];
  unsigned count = 4;
  node("l40s", 1);
  EXPECT(0, sim("process 0 4711 100 --graphics"));
  EXPECT(0, sim("process 0 4712 100 --mps"));
  EXPECT(0, sim("process 0 4713 66"));
  OK(nvmlDeviceGetComputeRunningProcesses_v3(gpu(0), &count, processes));
  EXPECT(2, count);
  EXPECT(4712 + 4713, processes[0].pid + processes[1].pid);
  count = 4;
  OK(nvmlDeviceGetGraphicsRunningProcesses_v3(gpu(0), &count, processes));
  EXPECT(1, count);
  EXPECT(4711, processes[0].pid);
  count = 4;
  OK(nvmlDeviceGetMPSComputeRunningProcesses_v3(gpu(0), &count, processes));
  EXPECT(1, count);
  EXPECT(4712, processes[0].pid);
  EXPECT(0xFFFFFFFF, processes[0].gpuInstanceId);
}

static void theServerHasTheSampleOfItsClients(void) {
  nvmlProcessUtilizationSample_t samples[100];
  unsigned count = 100;
  node("h200", 1);
  EXPECT(0, sim("process 0 4711 66"));
  EXPECT(0, sim("process 0 4712 146 --mps"));
  EXPECT(0, sim("use 0 4711 95 0"));
  EXPECT(1, sim("use 0 4712 40 7") != 0);
  OK(nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, 0));
  EXPECT(1, count);
  EXPECT(4711, samples[0].pid);
}

static void processesThatUseTheGpuHaveSamples(void) {
  nvmlProcessUtilizationSample_t samples[100];
  nvmlProcessInfo_t process;
  unsigned count = 0, one = 1;
  node("a100-40g", 1);
  EXPECT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetProcessUtilization(gpu(0), NULL, &count, 0));
  EXPECT(100, count);
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, 0));
  EXPECT(0, sim("process 0 4711 unknown"));
  EXPECT(0, sim("use 0 4711 40 7"));
  EXPECT(1, sim("use 0 4712 1 1") != 0);
  OK(nvmlDeviceGetComputeRunningProcesses_v3(gpu(0), &one, &process));
  EXPECT((unsigned long long)NVML_VALUE_NOT_AVAILABLE, process.usedGpuMemory);
  count = 99;
  EXPECT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, 0));
  OK(nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, 0));
  EXPECT(1, count);
  EXPECT(4711, samples[0].pid);
  EXPECT(40, samples[0].smUtil);
  EXPECT(7, samples[0].memUtil);
  unsigned long long seen = samples[0].timeStamp;
  EXPECT(0, sim("process 0 4711 0"));
  count = 100;
  OK(nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, seen));
  EXPECT(4711, samples[0].pid);
  count = 100;
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, samples[0].timeStamp));
  EXPECT(0, sim("fail nvmlDeviceGetProcessUtilization 3"));
  count = 100;
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetProcessUtilization(gpu(0), samples, &count, 0));
}

static void memoryInUseIsThatOfProcesses(void) {
  nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
  nvmlProcessInfo_t processes[4];
  unsigned count = 0;
  node("a100-40g", 1);
  OK(nvmlDeviceGetMemoryInfo_v2(gpu(0), &memory));
  EXPECT(0, memory.used);
  EXPECT(571, memory.reserved >> 20);
  EXPECT(0, sim("process 0 4711 1000"));
  OK(nvmlDeviceGetMemoryInfo_v2(gpu(0), &memory));
  EXPECT(1000, memory.used >> 20);
  EXPECT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetComputeRunningProcesses_v3(gpu(0), &count, NULL));
  EXPECT(1, count);
  count = 4;
  OK(nvmlDeviceGetComputeRunningProcesses_v3(gpu(0), &count, processes));
  EXPECT(4711, processes[0].pid);
  EXPECT(0xFFFFFFFF, processes[0].gpuInstanceId);
  EXPECT(0, sim("process 0 4711 0"));
  OK(nvmlDeviceGetComputeRunningProcesses_v3(gpu(0), &count, processes));
  EXPECT(0, count);
  memory.version = 7;
  EXPECT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetMemoryInfo_v2(gpu(0), &memory));
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(everyBoardSaysWhatItIs), TEST(gpusAreFoundByIndexUuidAndAddress), TEST(nvmlIsOpenUntilItsLastUserCloses),
      TEST(withoutAStateThereIsNoDriver), TEST(aFreshStateIsSeenByTheNextUser), TEST(badArgumentsAreRefused),
      TEST(everyReturnCodeHasAText), TEST(eachSortOfProcessHasACallOfItsOwn), TEST(processesThatUseTheGpuHaveSamples),
      TEST(theServerHasTheSampleOfItsClients),
      TEST(memoryInUseIsThatOfProcesses)};
  return RUN("identity", tests);
}
