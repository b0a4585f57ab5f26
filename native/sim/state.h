// The shared state of one simulated node: a file that every process maps, with one lock and one event counter.
#ifndef PITCREW_SIM_STATE_H
#define PITCREW_SIM_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

enum {
  SIM_MAX_GPUS = 16,
  SIM_MAX_GPU_INSTANCES = 8,
  SIM_MAX_COMPUTE_INSTANCES = 8,
  SIM_MAX_PROCESSES = 32,
  SIM_ENDED_PROCESSES = 8,
  SIM_EVENT_RING = 1024,
  SIM_NO_INSTANCE = 0xFFFF,
  SIM_TEXT = 96
};

// Everything that `nvml-sim STATE set GPU KEY VALUE` can change; each is a 64-bit number.
#define SIM_READINGS(X)                                                                                             \
  X(memory_mib) X(memory_reserved_mib) X(memory_used_mib) X(bar1_used_mib)                                          \
  X(temperature_c) X(memory_temperature_c) X(power_mw) X(power_limit_mw) X(energy_mj)                               \
  X(sm_clock_mhz) X(memory_clock_mhz) X(video_clock_mhz) X(pstate) X(fan_percent) X(clock_event_reasons)            \
  X(gpu_percent) X(memory_percent) X(encoder_percent) X(decoder_percent) X(jpeg_percent) X(ofa_percent)             \
  X(pcie_tx_kbps) X(pcie_rx_kbps) X(pcie_replays) X(pcie_link_generation) X(pcie_link_width)                        \
  X(nvlink_tx_kibps) X(nvlink_rx_kibps) X(nvlink_crc_flit_errors) X(nvlink_crc_data_errors) X(nvlink_replay_errors) \
  X(nvlink_recovery_errors) X(nvlinks_down) X(nvlink_disabled) X(fabric_state) X(fabric_status) X(fabric_clique)    \
  X(ecc_enabled) X(ecc_single_volatile) X(ecc_double_volatile) X(ecc_single_total) X(ecc_double_total)              \
  X(retired_single_pages) X(retired_double_pages) X(retirement_pending)                                             \
  X(remapped_correctable_rows) X(remapped_uncorrectable_rows) X(remap_pending) X(remap_failed)                      \
  X(power_violation_ns) X(thermal_violation_ns) X(sync_boost_violation_ns) X(board_limit_violation_ns)              \
  X(low_utilization_violation_ns) X(reliability_violation_ns) X(recovery_action)                                    \
  X(compute_mode) X(persistence_mode) X(pending_mig_mode) X(licensed) X(call_ms)                                    \
  X(nvlink_error_link) X(nvlink_port_events)                                                                        \
  X(sram_threshold_exceeded) X(memory_unrepairable) X(confidential_computing) X(virtualization_mode)                \
  X(sm_percent) X(occupancy_percent) X(tensor_percent) X(dram_percent) X(fp64_percent) X(fp32_percent) X(fp16_percent)

struct sim_readings {
#define X(name) uint64_t name;
  SIM_READINGS(X)
#undef X
};

struct sim_compute_instance {
  bool used;
  uint8_t id, profile, start, size;
};

struct sim_gpu_instance {
  bool used;
  uint8_t id, profile, start, size;
  struct sim_compute_instance compute[SIM_MAX_COMPUTE_INSTANCES];
};

// NVML lists each sort by a call of its own (nvml.h: nvmlDeviceGetComputeRunningProcesses, …GraphicsRunningProcesses,
// …MPSComputeRunningProcesses); a client of MPS is listed as a compute process, too.
enum sim_process_sort { SIM_COMPUTE, SIM_GRAPHICS, SIM_MPS };

enum { SIM_MEMORY_UNKNOWN = 0xFFFFFFFF };

struct sim_process {
  uint32_t pid;  // 0: free entry
  uint32_t memory_mib;  // or SIM_MEMORY_UNKNOWN: NVML does not report it
  uint8_t sort;  // enum sim_process_sort
  uint16_t gpu_instance, compute_instance;
  uint8_t sm_percent, memory_percent;  // what it uses of the time of multiprocessors and memory
  uint64_t started;  // of a context of libcuda: when its process started, in ticks since the boot; else 0
};

// What the driver has measured of a process that has ended since.
struct sim_process_sample {
  uint32_t pid;
  uint8_t sm_percent, memory_percent;
  uint64_t taken_us;  // since 1970
};

struct sim_gpu {
  char name[SIM_TEXT];
  char uuid[SIM_TEXT];
  char serial[32];
  uint32_t pci_domain, minor;
  uint8_t pci_bus;
  uint8_t numa;
  bool lost, hung;
  uint8_t mig_mode;
  struct sim_gpu_instance instances[SIM_MAX_GPU_INSTANCES];
  struct sim_process processes[SIM_MAX_PROCESSES];
  struct sim_process_sample ended[SIM_ENDED_PROCESSES];  // a ring, written at ended_count
  uint32_t ended_count;
  struct sim_readings readings;
};

// A GPU is changed by writing its spare copy and then switching: a process killed half-way leaves the old one in force.
struct sim_gpu_cell {
  _Atomic uint32_t current;
  struct sim_gpu copies[2];
};

struct sim_event {
  uint32_t gpu;
  uint16_t gpu_instance, compute_instance;
  uint64_t type, data;
};

// What the next calls of one name answer instead of doing anything.
struct sim_fault {
  char call[SIM_TEXT];  // such as "nvmlGpuInstanceDestroy"; empty: none
  uint32_t code;        // nvmlReturn_t, or SIM_FAULT_HANG: the GPU hangs from this call on
  uint32_t skip, left;  // how many calls go well before, how many fail then
};

enum { SIM_FAULT_HANG = 0xFFFF };

struct sim_state {
  uint64_t magic;
  uint64_t size;
  pthread_mutex_t mutex;
  _Atomic uint32_t signal;  // futex word: grows with every event, release, load and unload
  _Atomic uint32_t loaded;
  _Atomic uint32_t mismatched;  // the library is not of the version of the loaded kernel module
  uint32_t generation;  // grows with every load of the driver; handles of an earlier one are dead
  uint32_t gpu_count;
  uint64_t loaded_at_ns;
  _Atomic uint64_t held_until_ns;  // by sim_now_ns: until when another call holds the resource manager's lock
  uint32_t first_open_ms;  // how long the driver initializes a GPU at its first use; 0: it has a persistence daemon
  bool initialized[SIM_MAX_GPUS];  // counts only where first_open_ms does
  uint32_t footprint_mib;  // what the library takes of a process for each GPU; 0: nothing, and no thread
  char board_key[SIM_TEXT];
  char driver[80];
  int32_t cuda;
  uint8_t cluster_uuid[16];
  struct sim_fault fault;
  uint64_t event_count;
  struct sim_event events[SIM_EVENT_RING];
  struct sim_gpu_cell gpus[SIM_MAX_GPUS];
};

// Maps the state file; null and errno when it is missing or not ours.
struct sim_state *sim_state_open(const char *path, int *descriptor);
void sim_state_close(struct sim_state *state);
// Writes a fresh state file beside the path and moves it into place; false and errno on failure.
bool sim_state_create(const char *path, const struct sim_board *board, unsigned gpus, const char *driver, int cuda);

void sim_lock(struct sim_state *state);
void sim_unlock(struct sim_state *state);

// The state of a GPU that is in force; read it under the lock.
const struct sim_gpu *sim_gpu(const struct sim_state *state, unsigned index);
// A copy to change under the lock, in force once it is committed.
struct sim_gpu *sim_gpu_edit(struct sim_state *state, unsigned index);
void sim_gpu_commit(struct sim_state *state, unsigned index);

void sim_event_post(struct sim_state *state, struct sim_event event);
// Wakes every process that waits on the signal.
void sim_signal(struct sim_state *state);
// Waits until the signal differs from what the caller has seen, or the time (null: none) is over.
void sim_signal_wait(struct sim_state *state, uint32_t seen, const struct timespec *timeout);

// Under the lock: the code that a call of this name has to answer, 0 where none.
uint32_t sim_fault_take(struct sim_state *state, const char *call);

// Whether an entry is in use. A context of libcuda ends with its process, however that ends; what `nvml-sim process`
// enters stays until it is taken away.
bool sim_process_lives(const struct sim_process *process);
// When a process started, in ticks since the boot; 0 where there is none of that number.
uint64_t sim_process_started(uint32_t pid);

uint64_t sim_now_ns(void);
// Microseconds since 1970: the time stamps of the driver's samples.
uint64_t sim_wall_us(void);
void sim_gpu_reset(const struct sim_board *board, struct sim_gpu *gpu);
uint64_t *sim_reading(struct sim_gpu *gpu, const char *name);

#endif
