// nvmlDeviceGetFieldValues: the same measurements by number.
#include <time.h>

#include "readings.h"

enum sim_field_class { ALWAYS, WITH_NVLINK, WITH_REMAPPING, WITH_RETIREMENT, WITH_MEMORY_SENSOR };

// Since R580. The nvml.h of CUDA 12.9 and 13.0 gives these the numbers 251 to 253; a report of a real H100 with driver
// 580.159.04 and the nvml.h of CUDA 13.1 have them here.
enum {
  CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN = 269,
  CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN = 270,
  CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN = 271,
  COUNTS_SLOWDOWNS = 580
};

struct field {
  unsigned id;
  enum sim_field_class needs;
  nvmlValueType_t type;
  size_t offset;
};

#define U32 NVML_VALUE_TYPE_UNSIGNED_INT
#define U64 NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
#define FIELD(number, class, type, name) {NVML_FI_DEV_##number, class, type, offsetof(struct sim_readings, name)}

// Fields that are a reading as it stands.
static const struct field FIELDS[] = {
    FIELD(ECC_CURRENT, ALWAYS, U32, ecc_enabled),
    FIELD(ECC_PENDING, ALWAYS, U32, ecc_enabled),
    FIELD(ECC_SBE_VOL_TOTAL, ALWAYS, U64, ecc_single_volatile),
    FIELD(ECC_DBE_VOL_TOTAL, ALWAYS, U64, ecc_double_volatile),
    FIELD(ECC_SBE_AGG_TOTAL, ALWAYS, U64, ecc_single_total),
    FIELD(ECC_DBE_AGG_TOTAL, ALWAYS, U64, ecc_double_total),
    FIELD(RETIRED_SBE, WITH_RETIREMENT, U32, retired_single_pages),
    FIELD(RETIRED_DBE, WITH_RETIREMENT, U32, retired_double_pages),
    FIELD(RETIRED_PENDING, WITH_RETIREMENT, U32, retirement_pending),
    FIELD(NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, WITH_NVLINK, U64, nvlink_crc_flit_errors),
    FIELD(NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, WITH_NVLINK, U64, nvlink_crc_data_errors),
    FIELD(NVLINK_REPLAY_ERROR_COUNT_TOTAL, WITH_NVLINK, U64, nvlink_replay_errors),
    FIELD(NVLINK_RECOVERY_ERROR_COUNT_TOTAL, WITH_NVLINK, U64, nvlink_recovery_errors),
    FIELD(NVLINK_ERROR_DL_REPLAY, WITH_NVLINK, U64, nvlink_replay_errors),
    FIELD(NVLINK_ERROR_DL_RECOVERY, WITH_NVLINK, U64, nvlink_recovery_errors),
    FIELD(NVLINK_ERROR_DL_CRC, WITH_NVLINK, U64, nvlink_crc_flit_errors),
    FIELD(PERF_POLICY_POWER, ALWAYS, U64, power_violation_ns),
    FIELD(PERF_POLICY_THERMAL, ALWAYS, U64, thermal_violation_ns),
    FIELD(PERF_POLICY_SYNC_BOOST, ALWAYS, U64, sync_boost_violation_ns),
    FIELD(PERF_POLICY_BOARD_LIMIT, ALWAYS, U64, board_limit_violation_ns),
    FIELD(PERF_POLICY_LOW_UTILIZATION, ALWAYS, U64, low_utilization_violation_ns),
    FIELD(PERF_POLICY_RELIABILITY, ALWAYS, U64, reliability_violation_ns),
    FIELD(MEMORY_TEMP, WITH_MEMORY_SENSOR, U32, memory_temperature_c),
    FIELD(PCIE_REPLAY_COUNTER, ALWAYS, U64, pcie_replays),
    FIELD(REMAPPED_COR, WITH_REMAPPING, U32, remapped_correctable_rows),
    FIELD(REMAPPED_UNC, WITH_REMAPPING, U32, remapped_uncorrectable_rows),
    FIELD(REMAPPED_PENDING, WITH_REMAPPING, U32, remap_pending),
    FIELD(REMAPPED_FAILURE, WITH_REMAPPING, U32, remap_failed),
    FIELD(POWER_AVERAGE, ALWAYS, U32, power_mw),
    FIELD(POWER_INSTANT, ALWAYS, U32, power_mw),
    FIELD(POWER_CURRENT_LIMIT, ALWAYS, U32, power_limit_mw),
    FIELD(POWER_REQUESTED_LIMIT, ALWAYS, U32, power_limit_mw),
    FIELD(GET_GPU_RECOVERY_ACTION, ALWAYS, U32, recovery_action),
};

static bool is_supported(const struct sim_view *view, enum sim_field_class needs) {
  const struct sim_board *board = view->board;
  switch (needs) {
    case ALWAYS: return true;
    case WITH_NVLINK: return view->nvlinks > 0;
    case WITH_REMAPPING: return board->row_remapping;
    case WITH_RETIREMENT: return !board->row_remapping;
    case WITH_MEMORY_SENSOR: return board->memory_max_c > 0;
  }
  return false;
}

static nvmlReturn_t put32(nvmlFieldValue_t *value, uint64_t number) {
  value->valueType = U32;
  value->value.uiVal = (unsigned)number;
  return NVML_SUCCESS;
}

static nvmlReturn_t put_signed(nvmlFieldValue_t *value, int number) {
  value->valueType = NVML_VALUE_TYPE_SIGNED_INT;
  value->value.siVal = number;
  return NVML_SUCCESS;
}

static nvmlReturn_t put64(nvmlFieldValue_t *value, uint64_t number) {
  value->valueType = U64;
  value->value.ullVal = number;
  return NVML_SUCCESS;
}

// KiB since the driver was loaded: of one link (the scope), or of all.
static nvmlReturn_t nvlink_kib(const struct sim_view *view, uint64_t kib_per_second, nvmlFieldValue_t *value) {
  if (view->nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  bool all = value->scopeId == 0xFFFFFFFFu;
  if (!all && value->scopeId >= view->nvlinks) return NVML_ERROR_INVALID_ARGUMENT;
  uint64_t total = kib_per_second * (sim_uptime_ns(view) / 1000000u) / 1000u;
  return put64(value, all ? total : total / view->nvlinks);
}

static nvmlReturn_t nvlink_fact(const struct sim_view *view, uint64_t number, nvmlFieldValue_t *value) {
  return view->nvlinks == 0 ? NVML_ERROR_NOT_SUPPORTED : put32(value, number);
}

// Of the report of the H100. What other boards answer is unknown: those before Hopper have none of it.
static nvmlReturn_t since_hopper(const struct sim_view *view, nvmlFieldValue_t *value) {
  const struct sim_board *board = view->board;
  if (board->compute_major < 9) return NVML_ERROR_NOT_SUPPORTED;
  switch (value->fieldId) {
    case NVML_FI_DEV_PCIE_REPLAY_ROLLOVER_COUNTER:
    case NVML_FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER:
      return put64(value, 0);
    case NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT:
      return put_signed(value, (int)board->gpu_max_c - (int)board->shutdown_c);
    case NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT:
      return put_signed(value, (int)board->gpu_max_c - (int)board->slowdown_c);
    case NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT:
    case NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT:
      return put_signed(value, 0);
    case NVML_FI_DEV_PCIE_OUTBOUND_ATOMICS_MASK:
    case NVML_FI_DEV_PCIE_INBOUND_ATOMICS_MASK:
      return put32(value, 0);
    default:
      return value->fieldId >= NVML_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS &&
                     value->fieldId <= NVML_FI_DEV_PCIE_COUNT_LANE_ERROR
                 ? put64(value, 0)
                 : NVML_ERROR_NOT_SUPPORTED;
  }
}

// Why the clocks were held, in nanoseconds, and what the GPU asks for. All without a reading of their own.
static nvmlReturn_t held_or_broken(const struct sim_view *view, nvmlFieldValue_t *value) {
  enum { RESET = 1, DRAIN_AND_RESET = 4 };  // nvmlDeviceGpuRecoveryAction_t
  const struct sim_readings *r = &view->gpu.readings;
  switch (value->fieldId) {
    case NVML_FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS:
      return put64(value, r->power_violation_ns + r->thermal_violation_ns + r->sync_boost_violation_ns +
                              r->board_limit_violation_ns + r->low_utilization_violation_ns +
                              r->reliability_violation_ns);
    case NVML_FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS:
      return put64(value, 0);
    case CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN:
      return sim_branch(view) < COUNTS_SLOWDOWNS ? NVML_ERROR_NOT_SUPPORTED : put64(value, r->thermal_violation_ns);
    case CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN:
    case CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN:
      return sim_branch(view) < COUNTS_SLOWDOWNS ? NVML_ERROR_NOT_SUPPORTED : put64(value, 0);
    case NVML_FI_DEV_RESET_STATUS:
      return put32(value, r->recovery_action == RESET);
    case NVML_FI_DEV_DRAIN_AND_RESET_STATUS:
      return put32(value, r->recovery_action == DRAIN_AND_RESET);
    default:
      return since_hopper(view, value);
  }
}

// Fields that are worked out, or facts of the board.
static nvmlReturn_t worked_out(const struct sim_view *view, nvmlFieldValue_t *value) {
  const struct sim_readings *readings = &view->gpu.readings;
  const struct sim_board *board = view->board;
  switch (value->fieldId) {
    case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION:
    case NVML_FI_DEV_ENERGY:
      return put64(value, sim_energy_mj(view));
    case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX:
    case NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_TX:
      return nvlink_kib(view, readings->nvlink_tx_kibps, value);
    case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX:
    case NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_RX:
      return nvlink_kib(view, readings->nvlink_rx_kibps, value);
    case NVML_FI_DEV_NVLINK_LINK_COUNT:
      return nvlink_fact(view, view->nvlinks, value);
    case NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT:
      // Answered by the real H100 whose links are off, too. Assumption: no link is connected then.
      return board->nvlinks == 0 ? NVML_ERROR_NOT_SUPPORTED : put32(value, view->nvlinks);
    case NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON:
    case NVML_FI_DEV_NVLINK_GET_SPEED:
      return nvlink_fact(view, board->nvlink_mbps, value);
    case NVML_FI_DEV_NVLINK_GET_STATE:
      return nvlink_fact(view, !(readings->nvlinks_down >> (value->scopeId & 63) & 1), value);
    case NVML_FI_DEV_IS_RESETLESS_MIG_SUPPORTED:
      return put32(value, board->mig != NULL && !board->mig_needs_reset);
    case NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE:
      return put32(value, board->mig != NULL);
    case NVML_FI_DEV_POWER_MIN_LIMIT:
      return put32(value, board->power_min_mw);
    case NVML_FI_DEV_POWER_MAX_LIMIT:
    case NVML_FI_DEV_POWER_DEFAULT_LIMIT:
      return put32(value, board->power_limit_mw);
    case NVML_FI_DEV_PCIE_COUNT_TX_BYTES:
      return put64(value, readings->pcie_tx_kbps * (sim_uptime_ns(view) / 1000000u));
    case NVML_FI_DEV_PCIE_COUNT_RX_BYTES:
      return put64(value, readings->pcie_rx_kbps * (sim_uptime_ns(view) / 1000000u));
    default:
      return held_or_broken(view, value);
  }
}

static nvmlReturn_t field_value(const struct sim_view *view, unsigned long branch, nvmlFieldValue_t *value) {
  if (!sim_field_is_known(branch, value->fieldId)) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
    const struct field *field = &FIELDS[i];
    if (field->id != value->fieldId) continue;
    if (!is_supported(view, field->needs)) return NVML_ERROR_NOT_SUPPORTED;
    uint64_t number = *(const uint64_t *)((const char *)&view->gpu.readings + field->offset);
    return field->type == U32 ? put32(value, number) : put64(value, number);
  }
  return worked_out(view, value);
}

NVML_API nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
  struct sim_view view;
  if (count <= 0 || values == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  unsigned long branch = sim_branch(&view);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (int i = 0; i < count; i++) {
    values[i].timestamp = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
    values[i].latencyUsec = 1;
    values[i].nvmlReturn = field_value(&view, branch, &values[i]);
  }
  return NVML_SUCCESS;
}
