// What a board model is: its identity, its limits and its MIG table. Values that never change while a node runs.
#ifndef PITCREW_SIM_BOARD_H
#define PITCREW_SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_MEMORY_SLICES = 8, SIM_PLACEMENTS_MAX = 8, SIM_COMPUTE_PROFILES_MAX = 8, SIM_SWITCHES_MAX = 6 };

// A compute-instance profile inside a GPU-instance profile.
struct sim_compute_profile {
  uint8_t index;  // NVML_COMPUTE_INSTANCE_PROFILE_*, which is also the id that create calls take
  uint8_t slices;
  uint8_t instances;
  uint8_t multiprocessors;
};

// A GPU-instance profile of a board.
struct sim_mig_profile {
  uint8_t index;  // NVML_GPU_INSTANCE_PROFILE_*
  uint8_t id;     // the number that create calls take and tools print
  uint8_t slices;
  uint8_t instances;
  uint8_t listed_instances;  // what the library says instead; 0: the truth
  uint8_t multiprocessors;
  uint8_t copy, decoder, encoder, jpeg, ofa;
  uint8_t p2p;
  uint32_t memory_mib;
  uint8_t size;  // memory slices that one instance covers
  int8_t starts[SIM_PLACEMENTS_MAX];
  uint8_t start_count;
  struct sim_compute_profile compute[SIM_COMPUTE_PROFILES_MAX];
  uint8_t compute_count;
};

struct sim_slot {
  uint32_t domain;
  uint8_t bus;
  uint8_t numa;
};

struct sim_board {
  const char *key;
  const char *name;
  const char *driver;
  int cuda;  // 12040 = CUDA 12.4
  unsigned default_gpus;

  uint32_t memory_mib;
  uint32_t reserved_mib;
  uint64_t bar1_mib;
  uint32_t pci_device, pci_subsystem;
  int compute_major, compute_minor;
  unsigned brand;
  const char *vbios, *inforom_image;

  const struct sim_mig_profile *mig;  // null: the board has no MIG
  unsigned mig_count;
  bool mig_needs_reset;  // a mode change stays pending until the GPU is reset

  unsigned nvlinks;
  unsigned nvlink_version, nvlink_mbps;
  unsigned switch_count;
  uint32_t switch_device;
  uint8_t switch_bus[SIM_SWITCHES_MAX];
  uint8_t links_per_switch[SIM_SWITCHES_MAX];
  bool fabric;  // part of an NVLink domain that a fabric manager has set up
  unsigned addressing_mode;

  unsigned neighbour_level;  // topology level shared by GPUs 2k and 2k+1
  struct sim_slot slots[8];

  uint32_t power_limit_mw, power_min_mw, power_idle_mw;
  uint32_t max_sm_clock, max_memory_clock, idle_sm_clock;
  uint32_t slowdown_c, shutdown_c, gpu_max_c, memory_max_c;  // memory_max_c 0: no sensor in the memory
  uint8_t pcie_generation, pcie_width;
  bool has_fan;
  bool row_remapping;  // false: pages are retired instead
  bool gpm;
};

extern const struct sim_board *const sim_boards[];
extern const unsigned sim_board_count;

const struct sim_board *sim_board_by_key(const char *key);
const struct sim_mig_profile *sim_mig_profile_by_index(const struct sim_board *board, unsigned index);
const struct sim_mig_profile *sim_mig_profile_by_id(const struct sim_board *board, unsigned id);
const struct sim_compute_profile *sim_compute_profile_by_index(const struct sim_mig_profile *profile, unsigned index);

#endif
