#include "mig_tables.h"

// Where an instance may start, in memory slices. The board has eight of them but only seven compute slices, so nothing
// of one compute slice may sit on the eighth.
#define STARTS_1 .size = 1, .starts = {0, 1, 2, 3, 4, 5, 6}, .start_count = 7
#define STARTS_2 .size = 2, .starts = {0, 2, 4}, .start_count = 3
#define STARTS_1_DOUBLE .size = 2, .starts = {0, 2, 4, 6}, .start_count = 4
#define STARTS_3 .size = 4, .starts = {0, 4}, .start_count = 2
#define STARTS_4 .size = 4, .starts = {0}, .start_count = 1
#define STARTS_7 .size = 8, .starts = {0}, .start_count = 1

#define ENGINES(copies, decoders, jpegs, ofas) .copy = copies, .decoder = decoders, .jpeg = jpegs, .ofa = ofas

// Compute profiles: {index, slices, instances, multiprocessors}. sm = one slice, all = the whole GPU instance.
#define COMPUTE_1(all) .compute = {{0, 1, 1, all}}, .compute_count = 1
#define COMPUTE_2(sm, all) .compute = {{0, 1, 2, sm}, {1, 2, 1, all}}, .compute_count = 2
#define COMPUTE_3(sm, all) .compute = {{0, 1, 3, sm}, {1, 2, 1, 2 * (sm)}, {2, 3, 1, all}}, .compute_count = 3
#define COMPUTE_4(sm, all) .compute = {{0, 1, 4, sm}, {1, 2, 2, 2 * (sm)}, {3, 4, 1, all}}, .compute_count = 3
#define COMPUTE_7(sm, all)                                                                                        \
  .compute = {{0, 1, 7, sm}, {1, 2, 3, 2 * (sm)}, {2, 3, 2, 3 * (sm)}, {3, 4, 1, 4 * (sm)}, {4, 7, 1, all}},      \
  .compute_count = 5

// GA100 also lists the revised one-slice compute profile (index 7) in every GPU instance.
#define GA100_1 .compute = {{0, 1, 1, 14}, {7, 1, 1, 14}}, .compute_count = 2
#define GA100_2 .compute = {{0, 1, 2, 14}, {1, 2, 1, 28}, {7, 1, 2, 14}}, .compute_count = 3
#define GA100_3 .compute = {{0, 1, 3, 14}, {1, 2, 1, 28}, {2, 3, 1, 42}, {7, 1, 3, 14}}, .compute_count = 4
#define GA100_4 .compute = {{0, 1, 4, 14}, {1, 2, 2, 28}, {3, 4, 1, 56}, {7, 1, 4, 14}}, .compute_count = 4
#define GA100_7                                                                                                   \
  .compute = {{0, 1, 7, 14}, {1, 2, 3, 28}, {2, 3, 2, 42}, {3, 4, 1, 56}, {4, 7, 1, 98}, {7, 1, 7, 14}},          \
  .compute_count = 6

#define GA100(slice_decoders, one, two, three, seven)                                                              \
  {                                                                                                                \
    {.index = 0, .id = 19, .slices = 1, .instances = 7, .multiprocessors = 14, ENGINES(1, slice_decoders, 0, 0),   \
     .memory_mib = one, STARTS_1, GA100_1},                                                                        \
    {.index = 1, .id = 14, .slices = 2, .instances = 3, .multiprocessors = 28, ENGINES(2, 1, 0, 0),                \
     .memory_mib = two, STARTS_2, GA100_2},                                                                        \
    {.index = 2, .id = 9, .slices = 3, .instances = 2, .multiprocessors = 42, ENGINES(3, 2, 0, 0),                 \
     .memory_mib = three, STARTS_3, GA100_3},                                                                      \
    {.index = 3, .id = 5, .slices = 4, .instances = 1, .multiprocessors = 56, ENGINES(4, 2, 0, 0),                 \
     .memory_mib = three, STARTS_4, GA100_4},                                                                      \
    {.index = 4, .id = 0, .slices = 7, .instances = 1, .multiprocessors = 98, ENGINES(7, 5, 1, 1),                 \
     .memory_mib = seven, STARTS_7, GA100_7},                                                                      \
    {.index = 7, .id = 20, .slices = 1, .instances = 1, .multiprocessors = 14, ENGINES(1, 1, 1, 1),                \
     .memory_mib = one, STARTS_1, GA100_1},                                                                        \
    {.index = 9, .id = 15, .slices = 1, .instances = 4, .multiprocessors = 14, ENGINES(1, 1, 0, 0),                \
     .memory_mib = two, STARTS_1_DOUBLE, GA100_1},                                                                 \
  }

#define A30_ONE                                                                                                    \
  .slices = 1, .multiprocessors = 14, .copy = 1, .memory_mib = 5836, .size = 1, .starts = {0, 1, 2, 3},            \
  .start_count = 4, GA100_1
#define A30_TWO                                                                                                    \
  .slices = 2, .multiprocessors = 28, .copy = 2, .memory_mib = 11672, .size = 2, .starts = {0, 2},                 \
  .start_count = 2, GA100_2

const struct sim_mig_profile sim_mig_a30[SIM_MIG_PROFILES_A30] = {
    {.index = 0, .id = 14, .instances = 4, A30_ONE},
    {.index = 1, .id = 5, .instances = 2, .decoder = 2, A30_TWO},
    {.index = 3, .id = 0, .slices = 4, .instances = 1, .multiprocessors = 56, ENGINES(4, 4, 1, 1),
     .memory_mib = 23344, .size = 4, .starts = {0}, .start_count = 1, GA100_4},
    {.index = 7, .id = 21, .instances = 1, .listed_instances = 4, .decoder = 1, .jpeg = 1, .ofa = 1, A30_ONE},
    {.index = 8, .id = 6, .instances = 1, .listed_instances = 2, .decoder = 2, .jpeg = 1, .ofa = 1, A30_TWO},
};

// GH100 and GB100. sm: one slice; sm_double: a slice with two eighths of the memory.
#define GH100(sm, sm_double, sm_three, sm_seven, one, two, three, seven)                                           \
  {                                                                                                                \
    {.index = 0, .id = 19, .slices = 1, .instances = 7, .multiprocessors = sm, ENGINES(1, 1, 1, 0),                \
     .memory_mib = one, STARTS_1, COMPUTE_1(sm)},                                                                  \
    {.index = 1, .id = 14, .slices = 2, .instances = 3, .multiprocessors = 2 * (sm), ENGINES(2, 2, 2, 0),          \
     .memory_mib = two, STARTS_2, COMPUTE_2(sm, 2 * (sm))},                                                        \
    {.index = 2, .id = 9, .slices = 3, .instances = 2, .multiprocessors = sm_three, ENGINES(3, 3, 3, 0),           \
     .memory_mib = three, STARTS_3, COMPUTE_3(sm, sm_three)},                                                      \
    {.index = 3, .id = 5, .slices = 4, .instances = 1, .multiprocessors = 4 * (sm), ENGINES(4, 4, 4, 0),           \
     .memory_mib = three, STARTS_4, COMPUTE_4(sm, 4 * (sm))},                                                      \
    {.index = 4, .id = 0, .slices = 7, .instances = 1, .multiprocessors = sm_seven, ENGINES(8, 7, 7, 1),           \
     .memory_mib = seven, STARTS_7, COMPUTE_7(sm, sm_seven)},                                                      \
    {.index = 7, .id = 20, .slices = 1, .instances = 1, .multiprocessors = sm, ENGINES(1, 1, 1, 1),                \
     .memory_mib = one, STARTS_1, COMPUTE_1(sm)},                                                                  \
    {.index = 9, .id = 15, .slices = 1, .instances = 4, .multiprocessors = sm_double, ENGINES(1, 1, 1, 0),         \
     .memory_mib = two, STARTS_1_DOUBLE, COMPUTE_1(sm_double)},                                                    \
  }

const struct sim_mig_profile sim_mig_a100_40g[SIM_MIG_PROFILES] = GA100(0, 4864, 9856, 19968, 40192);
const struct sim_mig_profile sim_mig_a100_80g[SIM_MIG_PROFILES] = GA100(1, 9856, 19968, 40192, 80384);
const struct sim_mig_profile sim_mig_h100[SIM_MIG_PROFILES] = GH100(16, 26, 60, 132, 9984, 20096, 40448, 81152);
const struct sim_mig_profile sim_mig_h200[SIM_MIG_PROFILES] = GH100(16, 26, 60, 132, 16384, 33280, 71168, 143104);
const struct sim_mig_profile sim_mig_b200[SIM_MIG_PROFILES] = GH100(18, 30, 70, 148, 22144, 44672, 89856, 182784);
const struct sim_mig_profile sim_mig_gb200[SIM_MIG_PROFILES] = GH100(18, 30, 70, 152, 22912, 46208, 92928, 188800);
