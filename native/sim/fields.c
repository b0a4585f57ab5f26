// nvmlDeviceGetFieldValues: the same measurements by number.
#include <time.h>

#include "readings.h"

enum sim_field_class { ALWAYS, WITH_NVLINK, WITH_REMAPPING, WITH_RETIREMENT, WITH_MEMORY_SENSOR };

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

static bool is_supported(const struct sim_board *board, enum sim_field_class needs) {
  switch (needs) {
    case ALWAYS: return true;
    case WITH_NVLINK: return board->nvlinks > 0;
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

static nvmlReturn_t put64(nvmlFieldValue_t *value, uint64_t number) {
  value->valueType = U64;
  value->value.ullVal = number;
  return NVML_SUCCESS;
}

// KiB since the driver was loaded: of one link (the scope), or of all.
static nvmlReturn_t nvlink_kib(const struct sim_view *view, uint64_t kib_per_second, nvmlFieldValue_t *value) {
  if (view->board->nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  bool all = value->scopeId == 0xFFFFFFFFu;
  if (!all && value->scopeId >= view->board->nvlinks) return NVML_ERROR_INVALID_ARGUMENT;
  uint64_t total = kib_per_second * (sim_uptime_ns(view) / 1000000u) / 1000u;
  return put64(value, all ? total : total / view->board->nvlinks);
}

static nvmlReturn_t nvlink_fact(const struct sim_view *view, uint64_t number, nvmlFieldValue_t *value) {
  return view->board->nvlinks == 0 ? NVML_ERROR_NOT_SUPPORTED : put32(value, number);
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
    case NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT:
      return nvlink_fact(view, board->nvlinks, value);
    case NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON:
    case NVML_FI_DEV_NVLINK_GET_SPEED:
      return nvlink_fact(view, board->nvlink_mbps, value);
    case NVML_FI_DEV_NVLINK_GET_STATE:
      return nvlink_fact(view, !(readings->nvlinks_down >> (value->scopeId & 63) & 1), value);
    case NVML_FI_DEV_IS_RESETLESS_MIG_SUPPORTED:
      return put32(value, board->mig != NULL && !board->mig_needs_reset);
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
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

static nvmlReturn_t field_value(const struct sim_view *view, nvmlFieldValue_t *value) {
  for (unsigned i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
    const struct field *field = &FIELDS[i];
    if (field->id != value->fieldId) continue;
    if (!is_supported(view->board, field->needs)) return NVML_ERROR_NOT_SUPPORTED;
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
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (int i = 0; i < count; i++) {
    values[i].timestamp = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
    values[i].latencyUsec = 1;
    values[i].nvmlReturn = field_value(&view, &values[i]);
  }
  return NVML_SUCCESS;
}
