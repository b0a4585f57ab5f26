// MIG: profiles and their names, placements, refusals, modes.
#include <string.h>

#include "check.h"

static void enableMig(nvmlDevice_t device) {
  nvmlReturn_t activation;
  OK(nvmlDeviceSetMigMode(device, NVML_DEVICE_MIG_ENABLE, &activation));
  EXPECT(NVML_SUCCESS, activation);
}

static const char *profileName(nvmlDevice_t device, unsigned index) {
  static nvmlGpuInstanceProfileInfo_v2_t info;
  info.version = nvmlGpuInstanceProfileInfo_v2;
  OK(nvmlDeviceGetGpuInstanceProfileInfoV(device, index, &info));
  return info.name;
}

static void profileNamesFollowTheMemory(void) {
  static const unsigned indexes[] = {0, 1, 2, 3, 4, 7, 9};
  static const char *const boards[][8] = {
      {"a100-40g", "1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "1g.5gb+me", "1g.10gb"},
      {"a100-80g", "1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", "1g.10gb+me", "1g.20gb"},
      {"h100", "1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", "1g.10gb+me", "1g.20gb"},
      {"h200", "1g.18gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb", "1g.18gb+me", "1g.35gb"},
      {"b200", "1g.23gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb", "1g.23gb+me", "1g.45gb"},
      {"gb200", "1g.23gb", "2g.47gb", "3g.93gb", "4g.93gb", "7g.186gb", "1g.23gb+me", "1g.47gb"}};
  for (unsigned b = 0; b < 6; b++) {
    node(boards[b][0], 1);
    for (unsigned i = 0; i < 7; i++) EXPECT_TEXT(boards[b][i + 1], profileName(gpu(0), indexes[i]) + strlen("MIG "));
    OK(nvmlShutdown());
  }
}

static void boardsWithoutMigSaySo(void) {
  static const char *const boards[] = {"t4", "l40s"};
  for (unsigned i = 0; i < 2; i++) {
    unsigned current, pending, count = 9;
    nvmlReturn_t activation;
    nvmlGpuInstanceProfileInfo_t info;
    nvmlDevice_t mig;
    node(boards[i], 1);
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetMigMode(gpu(0), &current, &pending));
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceSetMigMode(gpu(0), 1, &activation));
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), 0, &info));
    EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetMigDeviceHandleByIndex(gpu(0), 0, &mig));
    OK(nvmlDeviceGetMaxMigDeviceCount(gpu(0), &count));
    EXPECT(0, count);
    EXPECT(1, sim_lines("mode 0 1 1\n", "mig -"));
    OK(nvmlShutdown());
  }
}

static void ampereTakesUpAModeAtItsReset(void) {
  unsigned current, pending;
  nvmlReturn_t activation;
  node("a100-40g", 2);
  OK(nvmlDeviceSetMigMode(gpu(0), 1, &activation));
  EXPECT(NVML_ERROR_RESET_REQUIRED, activation);
  OK(nvmlDeviceGetMigMode(gpu(0), &current, &pending));
  EXPECT(0, current);
  EXPECT(1, pending);
  EXPECT(1, sim("reset 0"));  // our own NVML is open
  OK(nvmlShutdown());
  EXPECT(0, sim("reset 0"));
  OK(nvmlInit_v2());
  OK(nvmlDeviceGetMigMode(gpu(0), &current, &pending));
  EXPECT(1, current);
  OK(nvmlDeviceGetMigMode(gpu(1), &current, &pending));
  EXPECT(0, current);
}

static void oldDriversListProfilesInMigModeOnly(void) {
  nvmlGpuInstanceProfileInfo_t info;
  nvmlGpuInstancePlacement_t placements[8];
  unsigned count = 8;
  node("h100", 1);
  OK(nvmlShutdown());
  EXPECT(0, sim("unload"));
  EXPECT(0, sim("load 535.183.06 12.2"));
  OK(nvmlInit_v2());
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), 0, &info));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(0), 19, placements, &count));
  enableMig(gpu(0));
  OK(nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), 0, &info));
  EXPECT(19, info.id);
}

static void hopperTakesUpAModeAtOnceUnlessInUse(void) {
  unsigned current, pending;
  nvmlReturn_t activation;
  node("h100", 1);
  enableMig(gpu(0));
  OK(nvmlDeviceSetMigMode(gpu(0), 0, &activation));
  EXPECT(NVML_SUCCESS, activation);
  EXPECT(0, sim("process 0 77 512"));
  OK(nvmlDeviceSetMigMode(gpu(0), 1, &activation));
  EXPECT(NVML_ERROR_IN_USE, activation);
  OK(nvmlDeviceGetMigMode(gpu(0), &current, &pending));
  EXPECT(0, current);
  EXPECT(1, pending);
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceSetMigMode(gpu(0), 2, &activation));
}

static unsigned profileId(unsigned index) {
  nvmlGpuInstanceProfileInfo_t info;
  OK(nvmlDeviceGetGpuInstanceProfileInfo(gpu(0), index, &info));
  return info.id;
}

static nvmlGpuInstanceInfo_t create(unsigned profile) {
  nvmlGpuInstance_t instance;
  nvmlGpuInstanceInfo_t info;
  OK(nvmlDeviceCreateGpuInstance(gpu(0), profile, &instance));
  OK(nvmlGpuInstanceGetInfo(instance, &info));
  return info;
}

static void smallInstancesLeaveRoomForLargeOnes(void) {
  static const unsigned starts[] = {6, 4, 5, 0, 1, 2, 3}, ids[] = {13, 11, 12, 7, 8, 9, 10};
  nvmlGpuInstance_t instance;
  unsigned left;
  node("h100", 1);
  enableMig(gpu(0));
  EXPECT(19, profileId(0));
  for (unsigned i = 0; i < 7; i++) {
    OK(nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(0), 19, &left));
    EXPECT(7 - i, left);
    nvmlGpuInstanceInfo_t info = create(19);
    EXPECT(starts[i], info.placement.start);
    EXPECT(1, info.placement.size);
    EXPECT(ids[i], info.id);
    EXPECT(19, info.profileId);
  }
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceCreateGpuInstance(gpu(0), 99, &instance));
}

static void balancedLayoutFits(void) {
  node("h100", 1);
  enableMig(gpu(0));
  EXPECT(4, create(9).placement.start);
  EXPECT(0, create(14).placement.start);
  create(19);
  create(19);
  unsigned left;
  OK(nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(0), 0, &left));
  EXPECT(0, left);
}

static void placementsAreEnforced(void) {
  nvmlGpuInstance_t instance;
  nvmlGpuInstancePlacement_t places[8], odd = {1, 2}, wrong = {0, 3}, last = {7, 1}, lower = {0, 4}, upper = {4, 4};
  unsigned count = 0;
  node("h100", 1);
  enableMig(gpu(0));
  OK(nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(0), 14, NULL, &count));
  EXPECT(3, count);
  OK(nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(0), 14, places, &count));
  EXPECT(4, places[2].start);
  EXPECT(2, places[2].size);
  count = 1;
  EXPECT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetGpuInstancePossiblePlacements_v2(gpu(0), 14, places, &count));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 14, &odd, &instance));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 9, &wrong, &instance));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 19, &last, &instance));
  OK(nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 9, &lower, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 5, &lower, &instance));
  OK(nvmlDeviceCreateGpuInstanceWithPlacement(gpu(0), 9, &upper, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
}

static void onlyOneInstanceHasMediaExtensions(void) {
  nvmlGpuInstance_t instance;
  node("h100", 1);
  enableMig(gpu(0));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 20, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 20, &instance));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  OK(nvmlShutdown());

  node("a30", 1);
  EXPECT(0, sim_lines("mode 0 1 1\n", "mig -"));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 21, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 6, &instance));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 5, &instance));
}

static void computeInstancesShareAGpuInstance(void) {
  nvmlGpuInstance_t instance;
  nvmlComputeInstance_t one, two, again, listed[8];
  nvmlComputeInstanceInfo_t info;
  unsigned count, left;
  node("a100-40g", 1);
  EXPECT(0, sim_lines("mode 0 1 1\n", "mig -"));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 9, &instance));
  OK(nvmlGpuInstanceGetComputeInstanceRemainingCapacity(instance, 0, &left));
  EXPECT(3, left);
  OK(nvmlGpuInstanceCreateComputeInstance(instance, 0, &one));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlGpuInstanceCreateComputeInstance(instance, 2, &two));
  OK(nvmlGpuInstanceCreateComputeInstance(instance, 0, &two));
  OK(nvmlComputeInstanceGetInfo_v2(two, &info));
  EXPECT(1, info.id);
  EXPECT(1, info.placement.start);
  CHECK(info.gpuInstance == instance && info.device == gpu(0));
  OK(nvmlGpuInstanceGetComputeInstances(instance, 0, listed, &count));
  EXPECT(2, count);
  OK(nvmlComputeInstanceDestroy(one));
  OK(nvmlGpuInstanceCreateComputeInstance(instance, 0, &again));
  CHECK(again == one);
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlGpuInstanceCreateComputeInstance(instance, 4, &one));
}

static void whatIsInUseIsNotDestroyed(void) {
  nvmlGpuInstance_t instance;
  nvmlComputeInstance_t compute;
  nvmlReturn_t activation;
  node("h100", 1);
  enableMig(gpu(0));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 9, &instance));
  OK(nvmlGpuInstanceCreateComputeInstance(instance, 2, &compute));
  EXPECT(NVML_ERROR_IN_USE, nvmlGpuInstanceDestroy(instance));
  EXPECT(NVML_ERROR_IN_USE, nvmlDeviceSetMigMode(gpu(0), 0, &activation));
  EXPECT(0, sim("process 0 99 256 2 0"));
  EXPECT(NVML_ERROR_IN_USE, nvmlComputeInstanceDestroy(compute));
  EXPECT(0, sim("process 0 99 0"));
  OK(nvmlComputeInstanceDestroy(compute));
  OK(nvmlGpuInstanceDestroy(instance));
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlGpuInstanceDestroy(instance));
  OK(nvmlDeviceSetMigMode(gpu(0), 0, &activation));
}

static void migDevicesAreNumberedByInstance(void) {
  nvmlDevice_t mig, found, parent;
  char uuid[96], name[96];
  unsigned id, count, is_mig, index;
  nvmlDeviceAttributes_t attributes;
  nvmlMemory_t memory;
  node("a100-40g", 2);
  EXPECT(0, sim_lines("mode 1 1 1\ngi 1 2 2 4 4\nci 1 2 0 2 0 3\ngi 1 1 1 0 2\nci 1 1 0 0 0 1\nci 1 1 1 0 1 1\n", "mig -"));
  OK(nvmlDeviceGetMaxMigDeviceCount(gpu(1), &count));
  EXPECT(7, count);
  OK(nvmlDeviceGetMigDeviceHandleByIndex(gpu(1), 2, &mig));
  OK(nvmlDeviceGetGpuInstanceId(mig, &id));
  EXPECT(2, id);
  OK(nvmlDeviceGetName(mig, name, sizeof name));
  EXPECT_TEXT("NVIDIA A100-SXM4-40GB MIG 3g.20gb", name);
  OK(nvmlDeviceGetMigDeviceHandleByIndex(gpu(1), 1, &mig));
  OK(nvmlDeviceGetGpuInstanceId(mig, &id));
  EXPECT(1, id);
  OK(nvmlDeviceGetComputeInstanceId(mig, &id));
  EXPECT(1, id);
  OK(nvmlDeviceGetName(mig, name, sizeof name));
  EXPECT_TEXT("NVIDIA A100-SXM4-40GB MIG 1c.2g.10gb", name);
  OK(nvmlDeviceGetUUID(mig, uuid, sizeof uuid));
  EXPECT(40, strlen(uuid));
  OK(nvmlDeviceGetHandleByUUID(uuid, &found));
  CHECK(found == mig);
  OK(nvmlDeviceGetDeviceHandleFromMigDeviceHandle(mig, &parent));
  CHECK(parent == gpu(1));
  OK(nvmlDeviceIsMigDeviceHandle(mig, &is_mig));
  EXPECT(1, is_mig);
  OK(nvmlDeviceIsMigDeviceHandle(parent, &is_mig));
  EXPECT(0, is_mig);
  OK(nvmlDeviceGetIndex(mig, &index));
  EXPECT(1, index);
  OK(nvmlDeviceGetAttributes_v2(mig, &attributes));
  EXPECT(14, attributes.multiprocessorCount);
  EXPECT(2, attributes.gpuInstanceSliceCount);
  EXPECT(1, attributes.computeInstanceSliceCount);
  EXPECT(2, attributes.sharedCopyEngineCount);
  EXPECT(9856, attributes.memorySizeMB);
  OK(nvmlDeviceGetMemoryInfo(mig, &memory));
  EXPECT(9856, memory.total >> 20);
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetMigDeviceHandleByIndex(gpu(1), 3, &mig));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetMigDeviceHandleByIndex(gpu(1), 7, &mig));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetMinorNumber(found, &id));
  EXPECT(0, sim_lines("mode 1 1 1\n", "mig -"));
  EXPECT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetUUID(found, uuid, sizeof uuid));
}

// Whatever is created and destroyed in whatever order: no slice has two owners, and a listing is correct.
static void instancesNeverOverlap(void) {
  static const unsigned ids[] = {19, 14, 9, 5, 0, 20, 15};
  nvmlGpuInstance_t listed[8];
  unsigned seed = 1;
  node("h100", 1);
  enableMig(gpu(0));
  for (int step = 0; step < 3000; step++) {
    seed = seed * 1103515245u + 12345u;
    unsigned profile = ids[seed / 65536 % 7], count = 0, taken = 0;
    nvmlGpuInstance_t instance;
    nvmlReturn_t result = nvmlDeviceCreateGpuInstance(gpu(0), profile, &instance);
    CHECK(result == NVML_SUCCESS || result == NVML_ERROR_INSUFFICIENT_RESOURCES);
    for (unsigned i = 0; i < 7; i++) {
      OK(nvmlDeviceGetGpuInstances(gpu(0), ids[i], listed, &count));
      for (unsigned k = 0; k < count; k++) {
        nvmlGpuInstanceInfo_t info;
        OK(nvmlGpuInstanceGetInfo(listed[k], &info));
        unsigned slices = ((1u << info.placement.size) - 1) << info.placement.start;
        EXPECT(0, taken & slices);
        taken |= slices;
        if (result != NVML_SUCCESS && seed % 3 == k % 3) OK(nvmlGpuInstanceDestroy(listed[k]));
      }
    }
    CHECK(taken < 256);
  }
}

static void preparedCallsFailAsOftenAsIsSaid(void) {
  nvmlReturn_t activation;
  nvmlGpuInstance_t instance;
  node("h100", 1);
  enableMig(gpu(0));
  EXPECT(0, sim("fail nvmlDeviceCreateGpuInstance 23 2 1"));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  EXPECT(NVML_ERROR_INSUFFICIENT_RESOURCES, nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  OK(nvmlDeviceCreateGpuInstance(gpu(0), 19, &instance));
  EXPECT(0, sim("fail nvmlDeviceSetMigMode 999"));
  EXPECT(NVML_ERROR_UNKNOWN, nvmlDeviceSetMigMode(gpu(0), 1, &activation));
  OK(nvmlDeviceSetMigMode(gpu(0), 1, &activation));
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(profileNamesFollowTheMemory), TEST(boardsWithoutMigSaySo), TEST(ampereTakesUpAModeAtItsReset),
      TEST(oldDriversListProfilesInMigModeOnly), TEST(hopperTakesUpAModeAtOnceUnlessInUse), TEST(smallInstancesLeaveRoomForLargeOnes), TEST(balancedLayoutFits),
      TEST(placementsAreEnforced), TEST(onlyOneInstanceHasMediaExtensions), TEST(computeInstancesShareAGpuInstance),
      TEST(whatIsInUseIsNotDestroyed), TEST(migDevicesAreNumberedByInstance), TEST(instancesNeverOverlap),
      TEST(preparedCallsFailAsOftenAsIsSaid)};
  return RUN("mig", tests);
}
