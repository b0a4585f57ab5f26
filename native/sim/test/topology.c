// Connections of GPUs on each kind of server.
#include <string.h>

#include "check.h"

static unsigned level(unsigned one, unsigned other) {
  nvmlGpuTopologyLevel_t found;
  OK(nvmlDeviceGetTopologyCommonAncestor(gpu(one), gpu(other), &found));
  return found;
}

static void twoSocketsHoldFourGpusEach(void) {
  node("a100-40g", 8);
  EXPECT(NVML_TOPOLOGY_INTERNAL, level(3, 3));
  EXPECT(NVML_TOPOLOGY_MULTIPLE, level(0, 1));
  EXPECT(NVML_TOPOLOGY_NODE, level(0, 2));
  EXPECT(NVML_TOPOLOGY_SYSTEM, level(3, 4));
  for (unsigned a = 0; a < 8; a++)
    for (unsigned b = 0; b < 8; b++) EXPECT(level(a, b), level(b, a));
}

static void linksLeadToSwitches(void) {
  static const struct {
    const char *profile;
    unsigned links;
    const char *first, *last;
  } boards[] = {{"a100-40g", 12, "00000000:C4:00.0", "00000000:C9:00.0"},
                {"h100", 18, "00000000:07:00.0", "00000000:0A:00.0"},
                {"h200", 18, "00000000:07:00.0", "00000000:0A:00.0"},
                {"b200", 18, "00000000:05:00.0", "00000000:06:00.0"}};
  for (unsigned i = 0; i < 4; i++) {
    nvmlEnableState_t active;
    nvmlPciInfo_t pci;
    nvmlIntNvLinkDeviceType_t type;
    node(boards[i].profile, 1);
    for (unsigned link = 0; link < boards[i].links; link++) {
      OK(nvmlDeviceGetNvLinkState(gpu(0), link, &active));
      EXPECT(NVML_FEATURE_ENABLED, active);
      OK(nvmlDeviceGetNvLinkRemoteDeviceType(gpu(0), link, &type));
      EXPECT(NVML_NVLINK_DEVICE_TYPE_SWITCH, type);
    }
    EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetNvLinkState(gpu(0), boards[i].links, &active));
    OK(nvmlDeviceGetNvLinkRemotePciInfo_v2(gpu(0), 0, &pci));
    EXPECT_TEXT(boards[i].first, pci.busId);
    OK(nvmlDeviceGetNvLinkRemotePciInfo_v2(gpu(0), boards[i].links - 1, &pci));
    EXPECT_TEXT(boards[i].last, pci.busId);
    OK(nvmlShutdown());
  }
}

static void boardsWithoutNvlinkSaySo(void) {
  nvmlEnableState_t active;
  nvmlGpuFabricInfo_t fabric;
  nvmlGpuP2PStatus_t status;
  node("t4", 2);
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkState(gpu(0), 0, &active));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuFabricInfo(gpu(0), &fabric));
  OK(nvmlDeviceGetP2PStatus(gpu(0), gpu(1), NVML_P2P_CAPS_INDEX_NVLINK, &status));
  EXPECT(NVML_P2P_STATUS_NOT_SUPPORTED, status);
}

static void linksCanBeDown(void) {
  nvmlEnableState_t active;
  node("h100", 1);
  EXPECT(0, sim("set 0 nvlinks_down 0x5"));
  OK(nvmlDeviceGetNvLinkState(gpu(0), 2, &active));
  EXPECT(NVML_FEATURE_DISABLED, active);
  OK(nvmlDeviceGetNvLinkState(gpu(0), 1, &active));
  EXPECT(NVML_FEATURE_ENABLED, active);
}

static void onlyARackIsAFabricWithACluster(void) {
  static const unsigned char nothing[16];
  nvmlGpuFabricInfo_t fabric;
  nvmlGpuFabricInfo_v3_t newer = {.version = nvmlGpuFabricInfo_v3};
  nvmlGpuFabricInfo_v2_t older = {.version = nvmlGpuFabricInfo_v2};
  node("gb200", 4);
  OK(nvmlDeviceGetGpuFabricInfo(gpu(3), &fabric));
  EXPECT(NVML_GPU_FABRIC_STATE_COMPLETED, fabric.state);
  EXPECT(1, fabric.cliqueId);
  CHECK(memcmp(nothing, fabric.clusterUuid, 16) != 0);
  OK(nvmlDeviceGetGpuFabricInfoV(gpu(0), &newer));
  CHECK(memcmp(newer.clusterUuid, fabric.clusterUuid, 16) == 0);
  OK(nvmlDeviceGetGpuFabricInfoV(gpu(0), &older));
  EXPECT(1, older.cliqueId);
  older.version = 1;
  EXPECT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetGpuFabricInfoV(gpu(0), &older));
  OK(nvmlShutdown());
  node("h100", 1);
  OK(nvmlDeviceGetGpuFabricInfo(gpu(0), &fabric));
  EXPECT(NVML_GPU_FABRIC_STATE_COMPLETED, fabric.state);
  CHECK(memcmp(nothing, fabric.clusterUuid, 16) == 0);
  EXPECT(0, sim("set 0 fabric_state 2"));
  OK(nvmlDeviceGetGpuFabricInfo(gpu(0), &fabric));
  EXPECT(NVML_GPU_FABRIC_STATE_IN_PROGRESS, fabric.state);
}

static void addressingModesCameWithR580(void) {
  nvmlDeviceAddressingMode_t mode = {.version = nvmlDeviceAddressingMode_v1};
  node("gb200", 1);
  EXPECT(NVML_ERROR_FUNCTION_NOT_FOUND, nvmlDeviceGetAddressingMode(gpu(0), &mode));
}

int main(void) {
  static const struct check_test tests[] = {TEST(twoSocketsHoldFourGpusEach), TEST(linksLeadToSwitches),
                                            TEST(boardsWithoutNvlinkSaySo), TEST(linksCanBeDown),
                                            TEST(onlyARackIsAFabricWithACluster),
                                            TEST(addressingModesCameWithR580)};
  return RUN("topology", tests);
}
