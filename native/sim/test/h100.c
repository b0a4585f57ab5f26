// Answers of the simulated H100 beside those of a real one. Source: a report of a real H100 80GB HBM3 with driver
// 580.159.04, in a virtual machine and with NVLink off (module parameter NvLinkDisable=1).
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { FIELDS = 300 };

// The numbers of fields that the real one answered, as "from-to".
static const char ANSWERED[] = "1-6 74-83 94-95 142-145 147-147 169-169 173-199 226-230 269-271";
// Those that it called an invalid argument. All others: not supported.
static const char UNKNOWN[] = "274-274 289-293 296-300";
// What comes with NVLink.
static const char OF_NVLINK[] = "38-38 45-45 52-52 59-59 90-91 138-141 161-165";

static bool is_in(const char *ranges, unsigned number) {
  unsigned from, to;
  int length;
  for (; sscanf(ranges, "%u-%u%n", &from, &to, &length) == 2; ranges += length)
    if (number >= from && number <= to) return true;
  return false;
}

static nvmlFieldValue_t field(unsigned id) {
  nvmlFieldValue_t value = {.fieldId = id};
  OK(nvmlDeviceGetFieldValues(gpu(0), 1, &value));
  return value;
}

static void check_fields(bool has_nvlink) {
  for (unsigned id = 1; id <= FIELDS; id++) {
    bool is_answered = is_in(ANSWERED, id) || (has_nvlink && is_in(OF_NVLINK, id));
    nvmlReturn_t expected = is_answered           ? NVML_SUCCESS
                            : is_in(UNKNOWN, id) ? NVML_ERROR_INVALID_ARGUMENT
                                                  : NVML_ERROR_NOT_SUPPORTED;
    if (field(id).nvmlReturn != expected) printf("field %u\n", id);
    EXPECT(expected, field(id).nvmlReturn);
  }
}

static void fieldsAreAnsweredAsByTheRealOne(void) {
  driver("h100", 1, "580.159.04", "13.0");
  check_fields(true);
}

// As a virtual machine has it to which one GPU of an HGX board is given.
static void nvlinkCanBeOff(void) {
  unsigned number;
  nvmlEnableState_t active;
  nvmlPciInfo_t pci;
  nvmlGpuP2PStatus_t status;
  nvmlGpuFabricInfo_t fabric;
  nvmlGpuFabricInfo_v2_t older = {.version = nvmlGpuFabricInfo_v2, .healthMask = 7};
  nvmlGpuFabricInfo_v3_t newer = {.version = nvmlGpuFabricInfo_v3, .healthMask = 7, .healthSummary = 3};
  driver("h100", 2, "580.159.04", "13.0");
  EXPECT(0, sim("set 0 nvlink_disabled 1"));
  check_fields(false);
  EXPECT(0, field(NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT).value.uiVal);
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkState(gpu(0), 0, &active));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkState(gpu(0), 99, &active));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkVersion(gpu(0), 0, &number));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkRemotePciInfo_v2(gpu(0), 0, &pci));
  OK(nvmlDeviceGetP2PStatus(gpu(0), gpu(1), NVML_P2P_CAPS_INDEX_NVLINK, &status));
  EXPECT(NVML_P2P_STATUS_NOT_SUPPORTED, status);
  OK(nvmlDeviceGetGpuFabricInfo(gpu(0), &fabric));
  EXPECT(NVML_GPU_FABRIC_STATE_NOT_SUPPORTED, fabric.state);
  OK(nvmlDeviceGetGpuFabricInfoV(gpu(0), &newer));
  EXPECT(NVML_GPU_FABRIC_STATE_NOT_SUPPORTED, newer.state);
  // The real one writes 29 of the 37 bytes of the third version, and all of the second.
  EXPECT(7, newer.healthMask);
  EXPECT(3, newer.healthSummary);
  OK(nvmlDeviceGetGpuFabricInfoV(gpu(0), &older));
  EXPECT(0, older.healthMask);
}

static void theNewestProfileOfALaterDriverIsUnknown(void) {
  nvmlGpuInstanceProfileInfo_t info;
  driver("h100", 1, "580.159.04", "13.0");
  for (unsigned i = 10; i < 17; i++)
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), i, &info));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), 17, &info));
}

// MIG mode was off.
static void profilesAreThoseOfTheRealOne(void) {
  static const struct {
    unsigned index, id, slices, instances, multiprocessors, copy, media, ofa, memory, places, size;
    const char *name;
  } profiles[] = {
      {0, 19, 1, 7, 16, 1, 1, 0, 9984, 7, 1, "MIG 1g.10gb"},    {1, 14, 2, 3, 32, 2, 2, 0, 20096, 3, 2, "MIG 2g.20gb"},
      {2, 9, 3, 2, 60, 3, 3, 0, 40448, 2, 4, "MIG 3g.40gb"},    {3, 5, 4, 1, 64, 4, 4, 0, 40448, 1, 4, "MIG 4g.40gb"},
      {4, 0, 7, 1, 132, 8, 7, 1, 81152, 1, 8, "MIG 7g.80gb"},   {7, 20, 1, 1, 16, 1, 1, 1, 9984, 7, 1, "MIG 1g.10gb+me"},
      {9, 15, 1, 4, 26, 1, 1, 0, 20096, 4, 2, "MIG 1g.20gb"}};
  driver("h100", 1, "580.159.04", "13.0");
  for (unsigned i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
    nvmlGpuInstanceProfileInfo_v2_t p = {.version = nvmlGpuInstanceProfileInfo_v2};
    nvmlGpuInstancePlacement_t places[8];
    unsigned count = 8, left;
    OK(nvmlDeviceGetGpuInstanceProfileInfoV(gpu(0), profiles[i].index, &p));
    EXPECT(0, p.version);  // the real one clears it
    EXPECT(profiles[i].id, p.id);
    EXPECT(profiles[i].slices, p.sliceCount);
    EXPECT(profiles[i].instances, p.instanceCount);
    EXPECT(profiles[i].multiprocessors, p.multiprocessorCount);
    EXPECT(profiles[i].copy, p.copyEngineCount);
    EXPECT(profiles[i].media, p.decoderCount);
    EXPECT(profiles[i].media, p.jpegCount);
    EXPECT(profiles[i].ofa, p.ofaCount);
    EXPECT(profiles[i].memory, p.memorySizeMB);
    EXPECT_TEXT(profiles[i].name, p.name);
    OK(nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(0), p.id, places, &count));
    EXPECT(profiles[i].places, count);
    EXPECT(profiles[i].size, places[0].size);
    OK(nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(0), p.id, &left));
    EXPECT(profiles[i].instances, left);
  }
}

// The ids of profiles that other boards have, and others.
static void capacityDistinguishesForeignProfilesFromUnknownOnes(void) {
  static const unsigned foreign[] = {6, 10, 21}, unknown[] = {1, 2, 3, 4, 7, 8, 11, 12, 13, 16, 17, 18, 22, 23};
  unsigned left;
  driver("h100", 1, "580.159.04", "13.0");
  for (unsigned i = 0; i < 3; i++)
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(0), foreign[i], &left));
  for (unsigned i = 0; i < 14; i++)
    EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(0), unknown[i], &left));
}

// nvidia-smi of the real one shows the module's number, and N/A for all else.
static void thePlatformHasOnlyAModule(void) {
  nvmlPlatformInfo_v2_t info = {.version = nvmlPlatformInfo_v2};
  driver("h100", 8, "580.159.04", "13.0");
  OK(nvmlDeviceGetPlatformInfo(gpu(7), &info));
  EXPECT(8, info.moduleId);
  EXPECT_TEXT("", (const char *)info.chassisSerialNumber);
}

// nvidia-smi of the real one: shutdown -8, slowdown -2, and 0 for the GPU's and the memory's highest temperature.
static void temperaturesAreMargins(void) {
  nvmlMarginTemperature_v1_t margin = {.version = nvmlMarginTemperature_v1};
  driver("h100", 1, "580.159.04", "13.0");
  EXPECT(0, sim("set 0 temperature_c 33"));
  OK(nvmlDeviceGetMarginTemperature(gpu(0), &margin));
  EXPECT(54, margin.marginTemperature);
  EXPECT(NVML_VALUE_TYPE_SIGNED_INT, field(NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT).valueType);
  EXPECT(-8, field(NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT).value.siVal);
  EXPECT(-2, field(NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT).value.siVal);
  EXPECT(0, field(NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT).value.siVal);
  EXPECT(0, field(NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT).value.siVal);
}

static void memoryIsSharedOutAsOnTheRealOne(void) {
  nvmlRowRemapperHistogramValues_t banks;
  nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
  unsigned percent, period;
  driver("h100", 1, "580.159.04", "13.0");
  OK(nvmlDeviceGetRowRemapperHistogram(gpu(0), &banks));
  EXPECT(2560, banks.max);
  OK(nvmlDeviceGetMemoryInfo_v2(gpu(0), &memory));
  EXPECT(480, memory.reserved >> 20);
  EXPECT(81079, memory.free >> 20);
  OK(nvmlDeviceGetDecoderUtilization(gpu(0), &percent, &period));
  EXPECT(100000, period);
}

static void aVirtualMachineSaysSo(void) {
  enum { PASSTHROUGH = 1 };
  unsigned mode;
  driver("h100", 1, "580.159.04", "13.0");
  OK(nvmlDeviceGetVirtualizationMode(gpu(0), &mode));
  EXPECT(0, mode);
  EXPECT(0, sim("set 0 virtualization_mode 1"));
  OK(nvmlDeviceGetVirtualizationMode(gpu(0), &mode));
  EXPECT(PASSTHROUGH, mode);
}

static void aResetIsAskedForInTwoWays(void) {
  driver("h100", 1, "580.159.04", "13.0");
  EXPECT(0, sim("set 0 recovery_action 1"));
  EXPECT(1, field(NVML_FI_DEV_RESET_STATUS).value.uiVal);
  EXPECT(0, field(NVML_FI_DEV_DRAIN_AND_RESET_STATUS).value.uiVal);
  EXPECT(0, sim("set 0 recovery_action 4"));
  EXPECT(0, field(NVML_FI_DEV_RESET_STATUS).value.uiVal);
  EXPECT(1, field(NVML_FI_DEV_DRAIN_AND_RESET_STATUS).value.uiVal);
}

// The first number that nvml.h of the driver's CUDA version does not have.
static void olderDriversDoNotKnowNewerFields(void) {
  static const struct {
    const char *version, *cuda;
    unsigned first_unknown;
  } drivers[] = {{"470.256.02", "11.4", 161}, {"525.147.05", "12.0", 170}, {"535.183.06", "12.2", 197},
                 {"550.163.01", "12.4", 200}, {"570.172.08", "12.8", 269}};
  for (unsigned i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
    driver("h100", 1, drivers[i].version, drivers[i].cuda);
    for (unsigned id = 1; id <= FIELDS; id++)
      EXPECT(id >= drivers[i].first_unknown, field(id).nvmlReturn == NVML_ERROR_INVALID_ARGUMENT);
    OK(nvmlShutdown());
  }
}

static long kib(const char *name) {
  char line[128];
  long value = 0;
  FILE *file = fopen("/proc/self/status", "re");
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, strlen(name)) == 0) value = atol(line + strlen(name) + 1);
  fclose(file);
  return value;
}

// One GPU: the real library took 18 MiB, and gave back neither memory nor thread.
static void theLibraryTakesMemoryAndAThread(void) {
  long memory = kib("RssAnon"), threads = kib("Threads");
  driver("h100", 1, "580.159.04", "13.0");
  CHECK(kib("RssAnon") - memory >= 18 * 1024);
  EXPECT(threads + 1, kib("Threads"));
  OK(nvmlShutdown());
  CHECK(kib("RssAnon") - memory >= 18 * 1024);
  EXPECT(threads + 1, kib("Threads"));
  OK(nvmlInit_v2());
  CHECK(kib("RssAnon") - memory < 20 * 1024);
  EXPECT(threads + 1, kib("Threads"));
}

static int opened(const char *file) {
  char link[64], target[512];
  int count = 0;
  for (int descriptor = 0; descriptor < 256; descriptor++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    count += strstr(target, file) != NULL && strcmp(strstr(target, file), file) == 0;
  }
  return count;
}

static void touch(const char *folder, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fclose(file);
}

// A process with an open NVML shows as a user of the driver.
static void deviceFilesAreHeldOpen(void) {
  char folder[] = "/tmp/nvml-sim-dev.XXXXXX", command[128];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(command, sizeof command, "mkdir %s/nvidia-caps", folder);
  EXPECT(0, system(command));
  static const char *const files[] = {"nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm", "nvidia-caps/nvidia-cap1",
                                      "nvidia-caps/nvidia-cap2"};
  for (unsigned i = 0; i < 6; i++) touch(folder, files[i]);
  setenv("NVML_SIM_DEV", folder, 1);
  int events = opened("anon_inode:[eventfd]");
  driver("h100", 2, "580.159.04", "13.0");
  gpu(0);
  gpu(0);
  EXPECT(1, opened("/nvidiactl"));
  EXPECT(3, opened("/nvidia0"));
  EXPECT(0, opened("/nvidia1"));
  EXPECT(2, opened("/nvidia-uvm"));
  EXPECT(1, opened("/nvidia-caps/nvidia-cap1"));
  EXPECT(1, opened("/nvidia-caps/nvidia-cap2"));
  EXPECT(events + 2, opened("anon_inode:[eventfd]"));
  OK(nvmlShutdown());
  for (unsigned i = 0; i < 6; i++) EXPECT(0, opened(files[i]));
  EXPECT(events, opened("anon_inode:[eventfd]"));
  snprintf(command, sizeof command, "rm -r %s", folder);
  EXPECT(0, system(command));
}

int main(void) {
  static const struct check_test tests[] = {TEST(fieldsAreAnsweredAsByTheRealOne), TEST(nvlinkCanBeOff),
                                            TEST(theNewestProfileOfALaterDriverIsUnknown),
                                            TEST(profilesAreThoseOfTheRealOne),
                                            TEST(capacityDistinguishesForeignProfilesFromUnknownOnes),
                                            TEST(thePlatformHasOnlyAModule), TEST(memoryIsSharedOutAsOnTheRealOne),
                                            TEST(aVirtualMachineSaysSo), TEST(theLibraryTakesMemoryAndAThread),
                                            TEST(deviceFilesAreHeldOpen), TEST(temperaturesAreMargins),
                                            TEST(aResetIsAskedForInTwoWays), TEST(olderDriversDoNotKnowNewerFields)};
  return RUN("h100", tests);
}
