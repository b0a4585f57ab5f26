// Measurements: what each board has, what can be set, what grows with time.
#include <string.h>
#include <unistd.h>

#include "check.h"

static nvmlFieldValue_t field(nvmlDevice_t device, unsigned id) {
  nvmlFieldValue_t value = {.fieldId = id, .scopeId = id == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX ? 0xFFFFFFFF : 0};
  OK(nvmlDeviceGetFieldValues(device, 1, &value));
  return value;
}

static void settingsAreSeenAtOnce(void) {
  unsigned value;
  nvmlUtilization_t percent;
  node("h100", 2);
  EXPECT(0, sim("set 1 temperature_c 81"));
  EXPECT(0, sim("set 1 power_mw 512345"));
  EXPECT(0, sim("set 1 gpu_percent 97"));
  EXPECT(0, sim("set 1 sm_clock_mhz 1755"));
  OK(nvmlDeviceGetTemperature(gpu(1), 0, &value));
  EXPECT(81, value);
  OK(nvmlDeviceGetPowerUsage(gpu(1), &value));
  EXPECT(512345, value);
  OK(nvmlDeviceGetUtilizationRates(gpu(1), &percent));
  EXPECT(97, percent.gpu);
  OK(nvmlDeviceGetClockInfo(gpu(1), NVML_CLOCK_SM, &value));
  EXPECT(1755, value);
  OK(nvmlDeviceGetTemperature(gpu(0), 0, &value));
  EXPECT(31, value);
  EXPECT(1, sim("set 1 no_such_key 1"));
  EXPECT(1, sim("set 1 power_mw many"));
}

static void everyBoardAnswersTheCommonReadings(void) {
  static const char *const boards[] = {"t4", "l40s", "a30", "a100-40g", "a100-80g", "h100", "h200", "b200", "gb200"};
  for (unsigned i = 0; i < 9; i++) {
    unsigned value, low, high;
    unsigned long long large;
    node(boards[i], 1);
    nvmlDevice_t device = gpu(0);
    OK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &value));
    OK(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, &value));
    CHECK(value > 1000);
    OK(nvmlDeviceGetPowerManagementLimitConstraints(device, &low, &high));
    CHECK(low < high);
    OK(nvmlDeviceGetEnforcedPowerLimit(device, &value));
    EXPECT(high, value);
    OK(nvmlDeviceGetTemperatureThreshold(device, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &value));
    OK(nvmlDeviceGetCurrentClocksEventReasons(device, &large));
    OK(nvmlDeviceGetPcieReplayCounter(device, &value));
    OK(nvmlDeviceGetPcieThroughput(device, NVML_PCIE_UTIL_RX_BYTES, &value));
    OK(nvmlDeviceGetMaxPcieLinkGeneration(device, &value));
    OK(nvmlDeviceGetTotalEnergyConsumption(device, &large));
    EXPECT(NVML_SUCCESS, field(device, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION).nvmlReturn);
    EXPECT(NVML_SUCCESS, field(device, NVML_FI_DEV_ECC_DBE_VOL_TOTAL).nvmlReturn);
    EXPECT(NVML_ERROR_INVALID_ARGUMENT, field(device, 9999).nvmlReturn);
    OK(nvmlShutdown());
  }
}

static void olderBoardsRetirePagesNewerOnesRemapRows(void) {
  unsigned correctable, uncorrectable, pending, failed, count = 0;
  node("t4", 1);
  EXPECT(NVML_ERROR_NOT_SUPPORTED,
         nvmlDeviceGetRemappedRows(gpu(0), &correctable, &uncorrectable, &pending, &failed));
  OK(nvmlDeviceGetRetiredPages(gpu(0), 1, &count, NULL));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, field(gpu(0), NVML_FI_DEV_MEMORY_TEMP).nvmlReturn);
  EXPECT(NVML_ERROR_NOT_SUPPORTED, field(gpu(0), NVML_FI_DEV_REMAPPED_UNC).nvmlReturn);
  OK(nvmlShutdown());
  node("h100", 1);
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetRetiredPages(gpu(0), 1, &count, NULL));
  EXPECT(0, sim("set 0 remapped_uncorrectable_rows 3"));
  EXPECT(0, sim("set 0 remap_failed 1"));
  OK(nvmlDeviceGetRemappedRows(gpu(0), &correctable, &uncorrectable, &pending, &failed));
  EXPECT(3, uncorrectable);
  EXPECT(1, failed);
  EXPECT(3, field(gpu(0), NVML_FI_DEV_REMAPPED_UNC).value.uiVal);
  EXPECT(38, field(gpu(0), NVML_FI_DEV_MEMORY_TEMP).value.uiVal);
}

static void eccErrorsAreCounted(void) {
  unsigned long long count;
  node("a100-80g", 1);
  EXPECT(0, sim("ecc 0 single"));
  EXPECT(0, sim("ecc 0 single"));
  EXPECT(0, sim("ecc 0 double"));
  OK(nvmlDeviceGetTotalEccErrors(gpu(0), NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, &count));
  EXPECT(2, count);
  EXPECT(2, field(gpu(0), NVML_FI_DEV_ECC_SBE_VOL_TOTAL).value.ullVal);
  EXPECT(1, field(gpu(0), NVML_FI_DEV_ECC_DBE_AGG_TOTAL).value.ullVal);
}

static void countersGrowWithTime(void) {
  unsigned long long before, after;
  node("h100", 1);
  EXPECT(0, sim("set 0 power_mw 700000"));
  EXPECT(0, sim("set 0 nvlink_tx_kibps 1000000"));
  OK(nvmlDeviceGetTotalEnergyConsumption(gpu(0), &before));
  unsigned long long sent = field(gpu(0), NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX).value.ullVal;
  usleep(50000);
  OK(nvmlDeviceGetTotalEnergyConsumption(gpu(0), &after));
  CHECK(after - before >= 35000);
  CHECK(field(gpu(0), NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX).value.ullVal - sent >= 50000);
}

static void migModeHasNoUtilisationOfTheWhole(void) {
  nvmlUtilization_t percent;
  nvmlDevice_t mig;
  unsigned value, period;
  node("a100-40g", 1);
  EXPECT(0, sim_lines("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n", "mig -"));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetUtilizationRates(gpu(0), &percent));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetEncoderUtilization(gpu(0), &value, &period));
  OK(nvmlDeviceGetMigDeviceHandleByIndex(gpu(0), 0, &mig));
  EXPECT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperature(mig, 0, &value));
  OK(nvmlDeviceGetTemperature(gpu(0), 0, &value));
}

static void performanceIsMeasuredBetweenTwoSamples(void) {
  nvmlGpmSupport_t support = {.version = NVML_GPM_SUPPORT_VERSION};
  nvmlGpmSample_t one, two;
  union {
    nvmlGpmMetricsGet_t get;
    char room[sizeof(nvmlGpmMetricsGet_t) + 2 * sizeof(nvmlGpmMetric_t)];
  } buffer = {.get = {.version = NVML_GPM_METRICS_GET_VERSION, .numMetrics = 3}};
  node("h100", 1);
  EXPECT(0, sim("set 0 tensor_percent 63"));
  OK(nvmlGpmQueryDeviceSupport(gpu(0), &support));
  EXPECT(1, support.isSupportedDevice);
  OK(nvmlGpmSampleAlloc(&one));
  OK(nvmlGpmSampleAlloc(&two));
  OK(nvmlGpmSampleGet(gpu(0), one));
  OK(nvmlGpmSampleGet(gpu(0), two));
  nvmlGpmMetric_t *metrics = buffer.get.metrics;
  metrics[0].metricId = NVML_GPM_METRIC_ANY_TENSOR_UTIL;
  metrics[1].metricId = NVML_GPM_METRIC_DRAM_BW_UTIL;
  metrics[2].metricId = 4711;
  buffer.get.sample1 = one;
  buffer.get.sample2 = two;
  OK(nvmlGpmMetricsGet(&buffer.get));
  CHECK(metrics[0].value > 62.9 && metrics[0].value < 63.1);
  EXPECT(NVML_SUCCESS, metrics[1].nvmlReturn);
  EXPECT(NVML_ERROR_NOT_SUPPORTED, metrics[2].nvmlReturn);
  OK(nvmlGpmSampleFree(one));
  OK(nvmlGpmSampleFree(two));
  OK(nvmlShutdown());
  node("a100-40g", 1);
  OK(nvmlGpmQueryDeviceSupport(gpu(0), &support));
  EXPECT(0, support.isSupportedDevice);
}

static void boardsHavePapers(void) {
  char text[96];
  nvmlBrandType_t brand;
  unsigned architecture;
  node("b200", 1);
  OK(nvmlDeviceGetSerial(gpu(0), text, 30));
  OK(nvmlDeviceGetVbiosVersion(gpu(0), text, 32));
  OK(nvmlDeviceGetInforomImageVersion(gpu(0), text, 16));
  OK(nvmlDeviceGetInforomVersion(gpu(0), NVML_INFOROM_ECC, text, 16));
  OK(nvmlDeviceGetBrand(gpu(0), &brand));
  OK(nvmlDeviceGetArchitecture(gpu(0), &architecture));
  EXPECT(10, architecture);
  nvmlComputeMode_t mode;
  OK(nvmlDeviceSetComputeMode(gpu(0), NVML_COMPUTEMODE_EXCLUSIVE_PROCESS));
  OK(nvmlDeviceGetComputeMode(gpu(0), &mode));
  EXPECT(NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, mode);
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(settingsAreSeenAtOnce), TEST(everyBoardAnswersTheCommonReadings),
      TEST(olderBoardsRetirePagesNewerOnesRemapRows), TEST(eccErrorsAreCounted), TEST(countersGrowWithTime),
      TEST(migModeHasNoUtilisationOfTheWhole), TEST(performanceIsMeasuredBetweenTwoSamples), TEST(boardsHavePapers)};
  return RUN("readings", tests);
}
