// Measurements of a whole GPU: clocks, temperatures, power, utilisation, PCIe. MIG devices have none of them.
#include "readings.h"

#include <string.h>

nvmlReturn_t sim_read_unsigned(nvmlDevice_t device, size_t offset, unsigned *value) {
  struct sim_view view;
  if (value == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  uint64_t reading;
  memcpy(&reading, (const char *)&view.gpu.readings + offset, sizeof reading);
  *value = (unsigned)reading;
  return NVML_SUCCESS;
}

uint64_t sim_uptime_ns(const struct sim_view *view) { return sim_now_ns() - view->state->loaded_at_ns; }

uint64_t sim_energy_mj(const struct sim_view *view) {
  const struct sim_readings *readings = &view->gpu.readings;
  return readings->energy_mj + readings->power_mw * (sim_uptime_ns(view) / 1000000u) / 1000u;
}

// Clocks

NVML_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
      return SIM_READ(device, sm_clock_mhz, mhz);
    case NVML_CLOCK_MEM:
      return SIM_READ(device, memory_clock_mhz, mhz);
    case NVML_CLOCK_VIDEO:
      return SIM_READ(device, video_clock_mhz, mhz);
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

NVML_API nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz) {
  struct sim_view view;
  if (mhz == NULL || (unsigned)type > NVML_CLOCK_VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS)
    *mhz = type == NVML_CLOCK_MEM ? view.board->max_memory_clock : view.board->max_sm_clock;
  return result;
}
NVML_API nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz) {
  return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

// Does not wait for the resource manager: seen on an H100 and an H200 with driver 580.159.04.
static nvmlReturn_t clock_event_reasons(nvmlDevice_t device, unsigned long long *reasons) {
  struct sim_view view;
  if (reasons == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look_cached(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *reasons = view.gpu.readings.clock_event_reasons;
  return result;
}
NVML_API nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons) {
  return clock_event_reasons(device, reasons);
}
NVML_API nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
  return clock_event_reasons(device, reasons);
}

NVML_API nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, unsigned *state) {
  return SIM_READ(device, pstate, state);
}

static uint64_t violation_ns(const struct sim_readings *readings, nvmlPerfPolicyType_t policy) {
  switch (policy) {
    case NVML_PERF_POLICY_POWER: return readings->power_violation_ns;
    case NVML_PERF_POLICY_THERMAL: return readings->thermal_violation_ns;
    case NVML_PERF_POLICY_SYNC_BOOST: return readings->sync_boost_violation_ns;
    case NVML_PERF_POLICY_BOARD_LIMIT: return readings->board_limit_violation_ns;
    case NVML_PERF_POLICY_LOW_UTILIZATION: return readings->low_utilization_violation_ns;
    case NVML_PERF_POLICY_RELIABILITY: return readings->reliability_violation_ns;
  }
  return 0;
}

NVML_API nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t device, nvmlPerfPolicyType_t policy,
                                                   nvmlViolationTime_t *time) {
  struct sim_view view;
  if (time == NULL || (unsigned)policy > NVML_PERF_POLICY_RELIABILITY) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS)
    *time = (nvmlViolationTime_t){sim_uptime_ns(&view) / 1000, violation_ns(&view.gpu.readings, policy)};
  return result;
}

// Temperatures and fan

NVML_API nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, unsigned sensor, unsigned *celsius) {
  return sensor == 0 ? SIM_READ(device, temperature_c, celsius) : NVML_ERROR_INVALID_ARGUMENT;
}

NVML_API nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_v1_t *temperature) {
  unsigned celsius = 0;
  if (temperature == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (temperature->version != nvmlTemperature_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = nvmlDeviceGetTemperature(device, temperature->sensorType, &celsius);
  if (result == NVML_SUCCESS) temperature->temperature = (int)celsius;
  return result;
}

// "GPU T.Limit Temp" of nvidia-smi -q: boards before Ada have none. It is what is left to the highest temperature of
// operation: a real H100 says 54 at 33 degrees, with a "Max Operating T.Limit" of 0, and 87 is its highest.
NVML_API nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t device, nvmlMarginTemperature_v1_t *margin) {
  struct sim_view view;
  if (margin == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (margin->version != nvmlMarginTemperature_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (10 * view.board->compute_major + view.board->compute_minor < 89) return NVML_ERROR_NOT_SUPPORTED;
  margin->marginTemperature = (int)view.board->gpu_max_c - (int)view.gpu.readings.temperature_c;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t threshold,
                                                        unsigned *celsius) {
  struct sim_view view;
  if (celsius == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  switch (threshold) {
    case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN: *celsius = view.board->shutdown_c; return NVML_SUCCESS;
    case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN: *celsius = view.board->slowdown_c; return NVML_SUCCESS;
    case NVML_TEMPERATURE_THRESHOLD_GPU_MAX: *celsius = view.board->gpu_max_c; return NVML_SUCCESS;
    case NVML_TEMPERATURE_THRESHOLD_MEM_MAX:
      *celsius = view.board->memory_max_c;
      return view.board->memory_max_c == 0 ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_SUPPORTED;
}

NVML_API nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned *percent) {
  struct sim_view view;
  if (percent == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS && !view.board->has_fan) return NVML_ERROR_NOT_SUPPORTED;
  if (result == NVML_SUCCESS) *percent = (unsigned)view.gpu.readings.fan_percent;
  return result;
}

// Power

NVML_API nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
  return SIM_READ(device, power_mw, milliwatts);
}
NVML_API nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts) {
  return SIM_READ(device, power_limit_mw, milliwatts);
}
NVML_API nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts) {
  return SIM_READ(device, power_limit_mw, milliwatts);
}

NVML_API nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned *min_mw,
                                                                   unsigned *max_mw) {
  struct sim_view view;
  if (min_mw == NULL || max_mw == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  *min_mw = view.board->power_min_mw;
  *max_mw = view.board->power_limit_mw;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned *milliwatts) {
  unsigned min_mw;
  return nvmlDeviceGetPowerManagementLimitConstraints(device, &min_mw, milliwatts);
}

NVML_API nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules) {
  struct sim_view view;
  if (millijoules == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *millijoules = sim_energy_mj(&view);
  return result;
}

// Utilisation: a GPU in MIG mode has none as a whole

static nvmlReturn_t look_without_mig(nvmlDevice_t device, struct sim_view *view) {
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, view);
  return result == NVML_SUCCESS && view->gpu.mig_mode ? NVML_ERROR_NOT_SUPPORTED : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *percent) {
  struct sim_view view;
  if (percent == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_without_mig(device, &view);
  if (result == NVML_SUCCESS)
    *percent = (nvmlUtilization_t){(unsigned)view.gpu.readings.gpu_percent,
                                   (unsigned)view.gpu.readings.memory_percent};
  return result;
}

static nvmlReturn_t engine_percent(nvmlDevice_t device, size_t offset, unsigned *percent, unsigned *period_us) {
  struct sim_view view;
  if (percent == NULL || period_us == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_without_mig(device, &view);
  if (result != NVML_SUCCESS) return result;
  *period_us = 100000;  // of a report of a real H100
  return sim_read_unsigned(device, offset, percent);
}

#define ENGINE_UTILIZATION(function, reading)                                                            \
  NVML_API nvmlReturn_t function(nvmlDevice_t device, unsigned *percent, unsigned *period_us) {          \
    return engine_percent(device, offsetof(struct sim_readings, reading), percent, period_us);           \
  }
ENGINE_UTILIZATION(nvmlDeviceGetEncoderUtilization, encoder_percent)
ENGINE_UTILIZATION(nvmlDeviceGetDecoderUtilization, decoder_percent)
ENGINE_UTILIZATION(nvmlDeviceGetJpgUtilization, jpeg_percent)
ENGINE_UTILIZATION(nvmlDeviceGetOfaUtilization, ofa_percent)

// PCIe

NVML_API nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter,
                                                  unsigned *kilobytes_per_second) {
  switch (counter) {
    case NVML_PCIE_UTIL_TX_BYTES: return SIM_READ(device, pcie_tx_kbps, kilobytes_per_second);
    case NVML_PCIE_UTIL_RX_BYTES: return SIM_READ(device, pcie_rx_kbps, kilobytes_per_second);
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}
NVML_API nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned *count) {
  return SIM_READ(device, pcie_replays, count);
}
NVML_API nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
  return SIM_READ(device, pcie_link_generation, generation);
}
NVML_API nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned *width) {
  return SIM_READ(device, pcie_link_width, width);
}

NVML_API nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
  struct sim_view view;
  if (generation == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *generation = view.board->pcie_generation;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned *width) {
  struct sim_view view;
  if (width == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *width = view.board->pcie_width;
  return result;
}
