#include "../board.h"

#include <string.h>

#include "mig_tables.h"

#define MIG(table) .mig = table, .mig_count = SIM_MIG_PROFILES

// PCI buses and NUMA nodes as two-socket servers with eight of the boards have them.
#define SLOTS(a, b, c, d, e, f, g, h) \
  .slots = {{0, a, 0}, {0, b, 0}, {0, c, 0}, {0, d, 0}, {0, e, 1}, {0, f, 1}, {0, g, 1}, {0, h, 1}}

static const struct sim_board T4 = {
    .key = "t4", .name = "Tesla T4", .driver = "550.163.01", .cuda = 12040, .default_gpus = 8,
    .memory_mib = 15360, .reserved_mib = 447, .bar1_mib = 256,
    .pci_device = 0x1EB810DE, .pci_subsystem = 0x12A210DE, .compute_major = 7, .compute_minor = 5, .brand = 14,
    .vbios = "90.04.96.00.A0", .inforom_image = "G183.0200.00.02",
    .neighbour_level = 40, SLOTS(0x18, 0x1B, 0x3B, 0x5E, 0x86, 0xAF, 0xD8, 0xDB),
    .power_limit_mw = 70000, .power_min_mw = 60000, .power_idle_mw = 9500,
    .max_sm_clock = 1590, .max_memory_clock = 5001, .idle_sm_clock = 300,
    .slowdown_c = 93, .shutdown_c = 96, .gpu_max_c = 85,
    .pcie_generation = 3, .pcie_width = 16,
};

static const struct sim_board L40S = {
    .key = "l40s", .name = "NVIDIA L40S", .driver = "550.163.01", .cuda = 12040, .default_gpus = 8,
    .memory_mib = 46068, .reserved_mib = 584, .bar1_mib = 65536,
    .pci_device = 0x26B910DE, .pci_subsystem = 0x185110DE, .compute_major = 8, .compute_minor = 9, .brand = 14,
    .vbios = "95.02.66.00.08", .inforom_image = "G133.0242.00.03",
    .neighbour_level = 10, SLOTS(0x27, 0x28, 0x48, 0x49, 0xA7, 0xA8, 0xC7, 0xC8),
    .power_limit_mw = 350000, .power_min_mw = 100000, .power_idle_mw = 34000,
    .max_sm_clock = 2520, .max_memory_clock = 9001, .idle_sm_clock = 210,
    .slowdown_c = 92, .shutdown_c = 95, .gpu_max_c = 88,
    .pcie_generation = 4, .pcie_width = 16, .row_remapping = true,
};

static const struct sim_board A30 = {
    .key = "a30", .name = "NVIDIA A30", .driver = "550.163.01", .cuda = 12040, .default_gpus = 4,
    .memory_mib = 24576, .reserved_mib = 444, .bar1_mib = 32768,
    .pci_device = 0x20B710DE, .pci_subsystem = 0x153210DE, .compute_major = 8, .compute_minor = 0, .brand = 14,
    .vbios = "92.00.66.00.03", .inforom_image = "1001.0200.00.05",
    .mig = sim_mig_a30, .mig_count = SIM_MIG_PROFILES_A30, .mig_needs_reset = true,
    .neighbour_level = 40, SLOTS(0x17, 0x31, 0x4B, 0x65, 0x98, 0xB1, 0xCA, 0xE3),
    .power_limit_mw = 165000, .power_min_mw = 100000, .power_idle_mw = 25000,
    .max_sm_clock = 1440, .max_memory_clock = 1215, .idle_sm_clock = 210,
    .slowdown_c = 92, .shutdown_c = 95, .gpu_max_c = 85, .memory_max_c = 95,
    .pcie_generation = 4, .pcie_width = 16, .row_remapping = true,
};

#define A100_SXM                                                                                                  \
  .driver = "550.163.01", .cuda = 12040, .default_gpus = 8, .compute_major = 8, .compute_minor = 0, .brand = 14,  \
  .mig_needs_reset = true, .nvlinks = 12, .nvlink_version = 3, .nvlink_mbps = 25000,                              \
  .switch_count = 6, .switch_device = 0x1AF110DE, .switch_bus = {0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9},             \
  .links_per_switch = {2, 2, 2, 2, 2, 2}, .neighbour_level = 20,                                                  \
  SLOTS(0x07, 0x0F, 0x47, 0x4E, 0x87, 0x90, 0xB7, 0xBD), .power_limit_mw = 400000, .power_min_mw = 100000,        \
  .power_idle_mw = 52000, .max_sm_clock = 1410, .idle_sm_clock = 210, .slowdown_c = 92,                           \
  .shutdown_c = 95, .gpu_max_c = 85, .memory_max_c = 95, .pcie_generation = 4, .pcie_width = 16, .row_remapping = true

static const struct sim_board A100_40G = {
    .key = "a100-40g", .name = "NVIDIA A100-SXM4-40GB", A100_SXM,
    .memory_mib = 40960, .reserved_mib = 571, .bar1_mib = 65536,
    .pci_device = 0x20B010DE, .pci_subsystem = 0x134F10DE, .max_memory_clock = 1215,
    .vbios = "92.00.45.00.03", .inforom_image = "G506.0200.00.04", MIG(sim_mig_a100_40g),
};

static const struct sim_board A100_80G = {
    .key = "a100-80g", .name = "NVIDIA A100-SXM4-80GB", A100_SXM,
    .memory_mib = 81920, .reserved_mib = 869, .bar1_mib = 131072,
    .pci_device = 0x20B210DE, .pci_subsystem = 0x147F10DE, .max_memory_clock = 1593,
    .vbios = "92.00.A0.00.05", .inforom_image = "G506.0210.00.03", MIG(sim_mig_a100_80g),
};

#define GH100_SXM                                                                                                 \
  .driver = "550.163.01", .cuda = 12040, .default_gpus = 8, .compute_major = 9, .compute_minor = 0, .brand = 14,  \
  .bar1_mib = 131072, .nvlinks = 18, .nvlink_version = 4, .nvlink_mbps = 26562, .switch_count = 4,                \
  .switch_device = 0x22A310DE, .switch_bus = {0x07, 0x08, 0x09, 0x0A}, .links_per_switch = {5, 4, 4, 5},          \
  .neighbour_level = 40, SLOTS(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF), .power_limit_mw = 700000,         \
  .power_min_mw = 200000, .power_idle_mw = 70000, .max_sm_clock = 1980, .idle_sm_clock = 345, .slowdown_c = 89,   \
  .shutdown_c = 95, .gpu_max_c = 87, .memory_max_c = 95, .pcie_generation = 5, .pcie_width = 16,                  \
  .row_remapping = true, .gpm = true

// Reserved memory and T.Limits of it: a report of a real H100 with driver 580.159.04.
static const struct sim_board H100 = {
    .key = "h100", .name = "NVIDIA H100 80GB HBM3", GH100_SXM,
    .memory_mib = 81559, .reserved_mib = 480, .max_memory_clock = 2619,
    .pci_device = 0x233010DE, .pci_subsystem = 0x16C110DE,
    .vbios = "96.00.99.00.01", .inforom_image = "G520.0200.00.05", MIG(sim_mig_h100),
};

static const struct sim_board H200 = {
    .key = "h200", .name = "NVIDIA H200", GH100_SXM,
    .memory_mib = 143771, .reserved_mib = 614, .max_memory_clock = 3201,
    .pci_device = 0x233510DE, .pci_subsystem = 0x18BE10DE,
    .vbios = "96.00.BC.00.01", .inforom_image = "G520.0280.00.04", MIG(sim_mig_h200),
};

#define BLACKWELL                                                                                                 \
  .driver = "570.172.08", .cuda = 12080, .compute_major = 10, .compute_minor = 0, .brand = 14,                    \
  .nvlinks = 18, .nvlink_version = 5, .nvlink_mbps = 53125, .bar1_mib = 262144,                                   \
  .power_min_mw = 200000, .power_idle_mw = 140000, .max_memory_clock = 3996, .idle_sm_clock = 120,                \
  .slowdown_c = 92, .shutdown_c = 97, .gpu_max_c = 87, .memory_max_c = 95, .pcie_generation = 5,                  \
  .pcie_width = 16, .row_remapping = true, .gpm = true

static const struct sim_board B200 = {
    .key = "b200", .name = "NVIDIA B200", BLACKWELL, .default_gpus = 8,
    .memory_mib = 183359, .reserved_mib = 639, .power_limit_mw = 1000000, .max_sm_clock = 1965,
    .pci_device = 0x290110DE, .pci_subsystem = 0x199910DE,
    .vbios = "97.00.88.00.0F", .inforom_image = "G525.0225.00.05", MIG(sim_mig_b200),
    .switch_count = 2, .switch_device = 0x22A310DE, .switch_bus = {0x05, 0x06}, .links_per_switch = {9, 9},
    .neighbour_level = 40, SLOTS(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF),
};

// The switches of an NVL72 rack sit in trays of their own: the links' other ends have no PCI address on this node.
static const struct sim_board GB200 = {
    .key = "gb200", .name = "NVIDIA GB200", BLACKWELL, .default_gpus = 4,
    .memory_mib = 189471, .reserved_mib = 700, .power_limit_mw = 1200000, .max_sm_clock = 2062,
    .pci_device = 0x294110DE, .pci_subsystem = 0x204610DE,
    .vbios = "97.00.B9.00.69", .inforom_image = "G548.0201.00.06", MIG(sim_mig_gb200),
    .switch_count = 1, .links_per_switch = {18}, .fabric = true, .addressing_mode = 2, .neighbour_level = 40,
    .slots = {{0x08, 1, 0}, {0x09, 1, 0}, {0x18, 1, 1}, {0x19, 1, 1}, {0x28, 1, 2}, {0x29, 1, 2}, {0x38, 1, 3}, {0x39, 1, 3}},
};

const struct sim_board *const sim_boards[] = {&T4, &L40S, &A30, &A100_40G, &A100_80G, &H100, &H200, &B200, &GB200};
const unsigned sim_board_count = sizeof sim_boards / sizeof sim_boards[0];

const struct sim_board *sim_board_by_key(const char *key) {
  for (unsigned i = 0; i < sim_board_count; i++)
    if (strcmp(sim_boards[i]->key, key) == 0) return sim_boards[i];
  return NULL;
}

const struct sim_mig_profile *sim_mig_profile_by_index(const struct sim_board *board, unsigned index) {
  for (unsigned i = 0; i < board->mig_count; i++)
    if (board->mig[i].index == index) return &board->mig[i];
  return NULL;
}

const struct sim_mig_profile *sim_mig_profile_by_id(const struct sim_board *board, unsigned id) {
  for (unsigned i = 0; i < board->mig_count; i++)
    if (board->mig[i].id == id) return &board->mig[i];
  return NULL;
}

const struct sim_compute_profile *sim_compute_profile_by_index(const struct sim_mig_profile *profile, unsigned index) {
  for (unsigned i = 0; i < profile->compute_count; i++)
    if (profile->compute[i].index == index) return &profile->compute[i];
  return NULL;
}
