// What layout.txt records: the structs, their fields and the constants of NVML that Pitcrew uses.
// LAYOUT_STRUCT(type) FIELD(type, field)… ; CONSTANT(name)
#define FIELD2(t, a, b) FIELD(t, a) FIELD(t, b)
#define FIELD3(t, a, b, c) FIELD2(t, a, b) FIELD(t, c)
#define FIELD4(t, a, b, c, d) FIELD3(t, a, b, c) FIELD(t, d)
#define FIELD5(t, a, b, c, d, e) FIELD4(t, a, b, c, d) FIELD(t, e)
#define FIELD6(t, a, b, c, d, e, f) FIELD5(t, a, b, c, d, e) FIELD(t, f)

#define LAYOUT_STRUCTS                                                                                               \
  STRUCT(nvmlPciInfo_t)                                                                                              \
  FIELD6(nvmlPciInfo_t, busIdLegacy, domain, bus, device, pciDeviceId, pciSubSystemId) FIELD(nvmlPciInfo_t, busId)   \
  STRUCT(nvmlMemory_t) FIELD3(nvmlMemory_t, total, free, used)                                                       \
  STRUCT(nvmlMemory_v2_t) FIELD5(nvmlMemory_v2_t, version, total, reserved, free, used)                              \
  STRUCT(nvmlBAR1Memory_t) FIELD3(nvmlBAR1Memory_t, bar1Total, bar1Free, bar1Used)                                   \
  STRUCT(nvmlUtilization_t) FIELD2(nvmlUtilization_t, gpu, memory)                                                   \
  STRUCT(nvmlEventData_t)                                                                                            \
  FIELD5(nvmlEventData_t, device, eventType, eventData, gpuInstanceId, computeInstanceId)                            \
  STRUCT(nvmlDeviceAttributes_t)                                                                                     \
  FIELD5(nvmlDeviceAttributes_t, multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount,                     \
         sharedEncoderCount, sharedJpegCount)                                                                        \
  FIELD4(nvmlDeviceAttributes_t, sharedOfaCount, gpuInstanceSliceCount, computeInstanceSliceCount, memorySizeMB)     \
  STRUCT(nvmlGpuInstancePlacement_t) FIELD2(nvmlGpuInstancePlacement_t, start, size)                                 \
  STRUCT(nvmlGpuInstanceProfileInfo_t)                                                                               \
  FIELD6(nvmlGpuInstanceProfileInfo_t, id, isP2pSupported, sliceCount, instanceCount, multiprocessorCount,           \
         copyEngineCount)                                                                                            \
  FIELD5(nvmlGpuInstanceProfileInfo_t, decoderCount, encoderCount, jpegCount, ofaCount, memorySizeMB)                \
  STRUCT(nvmlGpuInstanceProfileInfo_v2_t)                                                                            \
  FIELD6(nvmlGpuInstanceProfileInfo_v2_t, version, id, isP2pSupported, sliceCount, instanceCount,                    \
         multiprocessorCount)                                                                                        \
  FIELD6(nvmlGpuInstanceProfileInfo_v2_t, copyEngineCount, decoderCount, encoderCount, jpegCount, ofaCount,          \
         memorySizeMB)                                                                                               \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, name)                                                                       \
  STRUCT(nvmlGpuInstanceInfo_t) FIELD4(nvmlGpuInstanceInfo_t, device, id, profileId, placement)                      \
  STRUCT(nvmlComputeInstancePlacement_t) FIELD2(nvmlComputeInstancePlacement_t, start, size)                         \
  STRUCT(nvmlComputeInstanceProfileInfo_t)                                                                           \
  FIELD5(nvmlComputeInstanceProfileInfo_t, id, sliceCount, instanceCount, multiprocessorCount,                       \
         sharedCopyEngineCount)                                                                                      \
  FIELD4(nvmlComputeInstanceProfileInfo_t, sharedDecoderCount, sharedEncoderCount, sharedJpegCount, sharedOfaCount)  \
  STRUCT(nvmlComputeInstanceProfileInfo_v2_t)                                                                        \
  FIELD6(nvmlComputeInstanceProfileInfo_v2_t, version, id, sliceCount, instanceCount, multiprocessorCount,           \
         sharedCopyEngineCount)                                                                                      \
  FIELD5(nvmlComputeInstanceProfileInfo_v2_t, sharedDecoderCount, sharedEncoderCount, sharedJpegCount,               \
         sharedOfaCount, name)                                                                                       \
  STRUCT(nvmlComputeInstanceInfo_t)                                                                                  \
  FIELD5(nvmlComputeInstanceInfo_t, device, gpuInstance, id, profileId, placement)                                   \
  STRUCT(nvmlGpuFabricInfo_t) FIELD4(nvmlGpuFabricInfo_t, clusterUuid, status, cliqueId, state)                      \
  STRUCT(nvmlGpuFabricInfo_v2_t)                                                                                     \
  FIELD6(nvmlGpuFabricInfo_v2_t, version, clusterUuid, status, cliqueId, state, healthMask)                          \
  STRUCT(nvmlTemperature_v1_t) FIELD3(nvmlTemperature_v1_t, version, sensorType, temperature)                        \
  STRUCT(nvmlMarginTemperature_v1_t) FIELD2(nvmlMarginTemperature_v1_t, version, marginTemperature)                  \
  STRUCT(nvmlProcessInfo_t)                                                                                          \
  FIELD4(nvmlProcessInfo_t, pid, usedGpuMemory, gpuInstanceId, computeInstanceId)                                    \
  STRUCT(nvmlProcessUtilizationSample_t)                                                                             \
  FIELD6(nvmlProcessUtilizationSample_t, pid, timeStamp, smUtil, memUtil, encUtil, decUtil)                          \
  STRUCT(nvmlEccSramErrorStatus_v1_t)                                                                                \
  FIELD3(nvmlEccSramErrorStatus_v1_t, version, aggregateUncParity, bThresholdExceeded)                               \
  STRUCT(nvmlConfComputeSystemState_t)                                                                               \
  FIELD3(nvmlConfComputeSystemState_t, environment, ccFeature, devToolsMode)                                         \
  STRUCT(nvmlFieldValue_t)                                                                                           \
  FIELD6(nvmlFieldValue_t, fieldId, scopeId, timestamp, latencyUsec, valueType, nvmlReturn)                          \
  FIELD(nvmlFieldValue_t, value)                                                                                     \
  STRUCT(nvmlValue_t)                                                                                                \
  STRUCT(nvmlRowRemapperHistogramValues_t)                                                                           \
  FIELD5(nvmlRowRemapperHistogramValues_t, max, high, partial, low, none)                                            \
  STRUCT(nvmlViolationTime_t) FIELD2(nvmlViolationTime_t, referenceTime, violationTime)                              \
  STRUCT(nvmlGpmSupport_t) FIELD2(nvmlGpmSupport_t, version, isSupportedDevice)                                      \
  STRUCT(nvmlGpmMetric_t) FIELD4(nvmlGpmMetric_t, metricId, nvmlReturn, value, metricInfo)                           \
  FIELD4(nvmlGpmMetricsGet_t, version, numMetrics, sample1, sample2)

// Structs that only newer headers have.
#define LAYOUT_FABRIC_V3                                                                                             \
  STRUCT(nvmlGpuFabricInfo_v3_t)                                                                                     \
  FIELD6(nvmlGpuFabricInfo_v3_t, version, clusterUuid, status, cliqueId, state, healthMask)                          \
  FIELD(nvmlGpuFabricInfo_v3_t, healthSummary) CONSTANT(nvmlGpuFabricInfo_v3)
#define LAYOUT_PLATFORM_V2                                                                                           \
  STRUCT(nvmlPlatformInfo_v2_t) FIELD4(nvmlPlatformInfo_v2_t, version, ibGuid, chassisSerialNumber, slotNumber)      \
  FIELD4(nvmlPlatformInfo_v2_t, trayIndex, hostId, peerType, moduleId) CONSTANT(nvmlPlatformInfo_v2)
#define LAYOUT_OF_NVML_13                                                                                            \
  STRUCT(nvmlPRMCounter_v1_t) FIELD3(nvmlPRMCounter_v1_t, counterId, inData, counterValue)                           \
  STRUCT(nvmlPRMCounterList_v1_t) FIELD2(nvmlPRMCounterList_v1_t, numCounters, counters)                             \
  CONSTANT(NVML_PRM_COUNTER_ID_PPCNT_PHYSICAL_LAYER_CTRS_LINK_DOWN_EVENTS)                                           \
  CONSTANT(NVML_PRM_COUNTER_ID_PPCNT_RECOVERY_CTRS_TOTAL_SUCCESSFUL_RECOVERY_EVENTS)                                 \
  CONSTANT(NVML_PRM_COUNTER_ID_PPCNT_PLR_RCV_CODES) CONSTANT(NVML_PRM_COUNTER_ID_PPCNT_PLR_SYNC_EVENTS)              \
  CONSTANT(NVML_PRM_COUNTER_ID_PPRM_OPER_RECOVERY)                                                                   \
  STRUCT(nvmlUnrepairableMemoryStatus_v1_t) FIELD(nvmlUnrepairableMemoryStatus_v1_t, bUnrepairableMemory)
#define LAYOUT_ADDRESSING_MODE                                                                                       \
  STRUCT(nvmlDeviceAddressingMode_t) FIELD2(nvmlDeviceAddressingMode_t, version, value)                              \
  CONSTANT(nvmlDeviceAddressingMode_v1)

#define LAYOUT_CONSTANTS                                                                                             \
  CONSTANT(NVML_SUCCESS) CONSTANT(NVML_ERROR_UNINITIALIZED) CONSTANT(NVML_ERROR_INVALID_ARGUMENT)                    \
  CONSTANT(NVML_ERROR_NOT_SUPPORTED) CONSTANT(NVML_ERROR_NO_PERMISSION) CONSTANT(NVML_ERROR_ALREADY_INITIALIZED)     \
  CONSTANT(NVML_ERROR_NOT_FOUND) CONSTANT(NVML_ERROR_INSUFFICIENT_SIZE) CONSTANT(NVML_ERROR_INSUFFICIENT_POWER)      \
  CONSTANT(NVML_ERROR_DRIVER_NOT_LOADED) CONSTANT(NVML_ERROR_TIMEOUT) CONSTANT(NVML_ERROR_IRQ_ISSUE)                 \
  CONSTANT(NVML_ERROR_LIBRARY_NOT_FOUND) CONSTANT(NVML_ERROR_FUNCTION_NOT_FOUND)                                     \
  CONSTANT(NVML_ERROR_CORRUPTED_INFOROM) CONSTANT(NVML_ERROR_GPU_IS_LOST) CONSTANT(NVML_ERROR_RESET_REQUIRED)        \
  CONSTANT(NVML_ERROR_OPERATING_SYSTEM) CONSTANT(NVML_ERROR_LIB_RM_VERSION_MISMATCH) CONSTANT(NVML_ERROR_IN_USE)     \
  CONSTANT(NVML_ERROR_MEMORY) CONSTANT(NVML_ERROR_NO_DATA) CONSTANT(NVML_ERROR_INSUFFICIENT_RESOURCES)               \
  CONSTANT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH) CONSTANT(NVML_ERROR_UNKNOWN)                                        \
  CONSTANT(NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE) CONSTANT(NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE)                       \
  CONSTANT(NVML_DEVICE_NAME_V2_BUFFER_SIZE) CONSTANT(NVML_DEVICE_UUID_V2_BUFFER_SIZE)                                \
  CONSTANT(NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE) CONSTANT(NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE)                    \
  CONSTANT(NVML_GPU_FABRIC_UUID_LEN) CONSTANT(nvmlMemory_v2) CONSTANT(nvmlGpuInstanceProfileInfo_v2)                 \
  CONSTANT(nvmlComputeInstanceProfileInfo_v2) CONSTANT(nvmlGpuFabricInfo_v2) CONSTANT(nvmlTemperature_v1)            \
  CONSTANT(nvmlEventTypeSingleBitEccError) CONSTANT(nvmlEventTypeDoubleBitEccError) CONSTANT(nvmlEventTypePState)    \
  CONSTANT(nvmlEventTypeXidCriticalError) CONSTANT(nvmlEventTypeClock)                                               \
  CONSTANT(NVML_DEVICE_MIG_DISABLE) CONSTANT(NVML_DEVICE_MIG_ENABLE)                                                 \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE) CONSTANT(NVML_GPU_INSTANCE_PROFILE_2_SLICE)                            \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_3_SLICE) CONSTANT(NVML_GPU_INSTANCE_PROFILE_4_SLICE)                            \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_7_SLICE) CONSTANT(NVML_GPU_INSTANCE_PROFILE_8_SLICE)                            \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_6_SLICE) CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV1)                       \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_2_SLICE_REV1) CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV2)                  \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE_GFX) CONSTANT(NVML_GPU_INSTANCE_PROFILE_2_SLICE_GFX)                    \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_4_SLICE_GFX) CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE_NO_ME)                  \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_2_SLICE_NO_ME) CONSTANT(NVML_GPU_INSTANCE_PROFILE_1_SLICE_ALL_ME)               \
  CONSTANT(NVML_GPU_INSTANCE_PROFILE_2_SLICE_ALL_ME)                                                                 \
  CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE) CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_2_SLICE)                    \
  CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_3_SLICE) CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_4_SLICE)                    \
  CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_7_SLICE) CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_8_SLICE)                    \
  CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_6_SLICE) CONSTANT(NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE_REV1)               \
  CONSTANT(NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED)                                                              \
  CONSTANT(NVML_TOPOLOGY_INTERNAL) CONSTANT(NVML_TOPOLOGY_SINGLE) CONSTANT(NVML_TOPOLOGY_MULTIPLE)                   \
  CONSTANT(NVML_TOPOLOGY_HOSTBRIDGE) CONSTANT(NVML_TOPOLOGY_NODE) CONSTANT(NVML_TOPOLOGY_SYSTEM)                     \
  CONSTANT(NVML_GPU_FABRIC_STATE_NOT_SUPPORTED) CONSTANT(NVML_GPU_FABRIC_STATE_NOT_STARTED)                          \
  CONSTANT(NVML_GPU_FABRIC_STATE_IN_PROGRESS) CONSTANT(NVML_GPU_FABRIC_STATE_COMPLETED)                              \
  CONSTANT(NVML_NVLINK_DEVICE_TYPE_GPU) CONSTANT(NVML_NVLINK_DEVICE_TYPE_SWITCH)                                     \
  CONSTANT(NVML_P2P_CAPS_INDEX_NVLINK) CONSTANT(NVML_P2P_STATUS_OK) CONSTANT(NVML_P2P_STATUS_NOT_SUPPORTED)          \
  CONSTANT(NVML_P2P_STATUS_UNKNOWN)                                                                                  \
  CONSTANT(NVML_CLOCK_GRAPHICS) CONSTANT(NVML_CLOCK_SM) CONSTANT(NVML_CLOCK_MEM) CONSTANT(NVML_CLOCK_VIDEO)          \
  CONSTANT(NVML_TEMPERATURE_THRESHOLD_SHUTDOWN) CONSTANT(NVML_TEMPERATURE_THRESHOLD_SLOWDOWN)                        \
  CONSTANT(NVML_TEMPERATURE_THRESHOLD_MEM_MAX) CONSTANT(NVML_TEMPERATURE_THRESHOLD_GPU_MAX)                          \
  CONSTANT(NVML_MEMORY_ERROR_TYPE_CORRECTED) CONSTANT(NVML_MEMORY_ERROR_TYPE_UNCORRECTED)                            \
  CONSTANT(NVML_VOLATILE_ECC) CONSTANT(NVML_AGGREGATE_ECC) CONSTANT(NVML_FEATURE_DISABLED)                           \
  CONSTANT(NVML_FEATURE_ENABLED) CONSTANT(NVML_PCIE_UTIL_TX_BYTES) CONSTANT(NVML_PCIE_UTIL_RX_BYTES)                 \
  CONSTANT(NVML_INFOROM_OEM) CONSTANT(NVML_INFOROM_ECC) CONSTANT(NVML_INFOROM_POWER)                                 \
  CONSTANT(NVML_BRAND_TESLA) CONSTANT(NVML_BRAND_NVIDIA)                                                             \
  CONSTANT(NVML_NVLINK_ERROR_DL_REPLAY) CONSTANT(NVML_NVLINK_ERROR_DL_RECOVERY)                                      \
  CONSTANT(NVML_NVLINK_ERROR_DL_CRC_FLIT) CONSTANT(NVML_NVLINK_ERROR_DL_CRC_DATA)                                    \
  CONSTANT(NVML_PERF_POLICY_POWER) CONSTANT(NVML_PERF_POLICY_THERMAL) CONSTANT(NVML_PERF_POLICY_SYNC_BOOST)          \
  CONSTANT(NVML_PERF_POLICY_BOARD_LIMIT) CONSTANT(NVML_PERF_POLICY_LOW_UTILIZATION)                                  \
  CONSTANT(NVML_PERF_POLICY_RELIABILITY)                                                                             \
  CONSTANT(NVML_COMPUTEMODE_DEFAULT) CONSTANT(NVML_COMPUTEMODE_PROHIBITED)                                           \
  CONSTANT(NVML_COMPUTEMODE_EXCLUSIVE_PROCESS)                                                                       \
  CONSTANT(nvmlEccSramErrorStatus_v1) CONSTANT(NVML_AFFINITY_SCOPE_NODE) CONSTANT(NVML_AFFINITY_SCOPE_SOCKET)        \
  CONSTANT(NVML_VALUE_NOT_AVAILABLE) CONSTANT(NVML_VALUE_TYPE_DOUBLE) CONSTANT(NVML_VALUE_TYPE_UNSIGNED_INT)         \
  CONSTANT(NVML_VALUE_TYPE_UNSIGNED_LONG_LONG) CONSTANT(NVML_VALUE_TYPE_SIGNED_INT)                                  \
  CONSTANT(NVML_GPM_METRICS_GET_VERSION) CONSTANT(NVML_GPM_SUPPORT_VERSION)

#define LAYOUT_FIELD_IDS                                                                                             \
  CONSTANT(NVML_FI_DEV_ECC_CURRENT) CONSTANT(NVML_FI_DEV_ECC_PENDING) CONSTANT(NVML_FI_DEV_ECC_SBE_VOL_TOTAL)        \
  CONSTANT(NVML_FI_DEV_ECC_DBE_VOL_TOTAL) CONSTANT(NVML_FI_DEV_ECC_SBE_AGG_TOTAL)                                    \
  CONSTANT(NVML_FI_DEV_ECC_DBE_AGG_TOTAL) CONSTANT(NVML_FI_DEV_RETIRED_SBE) CONSTANT(NVML_FI_DEV_RETIRED_DBE)        \
  CONSTANT(NVML_FI_DEV_RETIRED_PENDING) CONSTANT(NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL)                      \
  CONSTANT(NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL) CONSTANT(NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL)      \
  CONSTANT(NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL) CONSTANT(NVML_FI_DEV_PERF_POLICY_POWER)                    \
  CONSTANT(NVML_FI_DEV_PERF_POLICY_THERMAL) CONSTANT(NVML_FI_DEV_PERF_POLICY_SYNC_BOOST)                             \
  CONSTANT(NVML_FI_DEV_PERF_POLICY_BOARD_LIMIT) CONSTANT(NVML_FI_DEV_PERF_POLICY_LOW_UTILIZATION)                    \
  CONSTANT(NVML_FI_DEV_PERF_POLICY_RELIABILITY) CONSTANT(NVML_FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS)                   \
  CONSTANT(NVML_FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS) CONSTANT(NVML_FI_DEV_MEMORY_TEMP)                              \
  CONSTANT(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION) CONSTANT(NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON)                      \
  CONSTANT(NVML_FI_DEV_NVLINK_LINK_COUNT) CONSTANT(NVML_FI_DEV_PCIE_REPLAY_COUNTER)                                  \
  CONSTANT(NVML_FI_DEV_PCIE_REPLAY_ROLLOVER_COUNTER) CONSTANT(NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX)                 \
  CONSTANT(NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX) CONSTANT(NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_TX)                     \
  CONSTANT(NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_RX) CONSTANT(NVML_FI_DEV_REMAPPED_COR)                                  \
  CONSTANT(NVML_FI_DEV_REMAPPED_UNC) CONSTANT(NVML_FI_DEV_REMAPPED_PENDING) CONSTANT(NVML_FI_DEV_REMAPPED_FAILURE)   \
  CONSTANT(NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT) CONSTANT(NVML_FI_DEV_NVLINK_ERROR_DL_REPLAY)                   \
  CONSTANT(NVML_FI_DEV_NVLINK_ERROR_DL_RECOVERY) CONSTANT(NVML_FI_DEV_NVLINK_ERROR_DL_CRC)                           \
  CONSTANT(NVML_FI_DEV_NVLINK_GET_SPEED) CONSTANT(NVML_FI_DEV_NVLINK_GET_STATE)                                      \
  CONSTANT(NVML_FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER) CONSTANT(NVML_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS)              \
  CONSTANT(NVML_FI_DEV_PCIE_COUNT_LANE_ERROR) CONSTANT(NVML_FI_DEV_IS_RESETLESS_MIG_SUPPORTED)                       \
  CONSTANT(NVML_FI_DEV_POWER_AVERAGE) CONSTANT(NVML_FI_DEV_POWER_INSTANT) CONSTANT(NVML_FI_DEV_POWER_MIN_LIMIT)      \
  CONSTANT(NVML_FI_DEV_POWER_MAX_LIMIT) CONSTANT(NVML_FI_DEV_POWER_DEFAULT_LIMIT)                                    \
  CONSTANT(NVML_FI_DEV_POWER_CURRENT_LIMIT) CONSTANT(NVML_FI_DEV_ENERGY) CONSTANT(NVML_FI_DEV_POWER_REQUESTED_LIMIT) \
  CONSTANT(NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT) CONSTANT(NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT)                \
  CONSTANT(NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT) CONSTANT(NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT)                  \
  CONSTANT(NVML_FI_DEV_PCIE_COUNT_TX_BYTES) CONSTANT(NVML_FI_DEV_PCIE_COUNT_RX_BYTES)                                \
  CONSTANT(NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE) CONSTANT(NVML_FI_DEV_RESET_STATUS)                 \
  CONSTANT(NVML_FI_DEV_DRAIN_AND_RESET_STATUS) CONSTANT(NVML_FI_DEV_PCIE_OUTBOUND_ATOMICS_MASK)                      \
  CONSTANT(NVML_FI_DEV_PCIE_INBOUND_ATOMICS_MASK) CONSTANT(NVML_FI_DEV_GET_GPU_RECOVERY_ACTION)                      \
  CONSTANT(NVML_GPM_METRIC_GRAPHICS_UTIL) CONSTANT(NVML_GPM_METRIC_SM_UTIL) CONSTANT(NVML_GPM_METRIC_SM_OCCUPANCY)   \
  CONSTANT(NVML_GPM_METRIC_ANY_TENSOR_UTIL) CONSTANT(NVML_GPM_METRIC_DRAM_BW_UTIL)                                   \
  CONSTANT(NVML_GPM_METRIC_FP64_UTIL) CONSTANT(NVML_GPM_METRIC_FP32_UTIL) CONSTANT(NVML_GPM_METRIC_FP16_UTIL)        \
  CONSTANT(NVML_GPM_METRIC_PCIE_TX_PER_SEC) CONSTANT(NVML_GPM_METRIC_PCIE_RX_PER_SEC)                                \
  CONSTANT(NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC) CONSTANT(NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC)                \
  CONSTANT(NVML_GPM_METRIC_NVLINK_L0_RX_PER_SEC) CONSTANT(NVML_GPM_METRIC_NVLINK_L17_TX_PER_SEC)
