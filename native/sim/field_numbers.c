// Which field numbers a driver's library knows. Another number is an invalid argument, as a report of a real H100 with
// driver 580.159.04 shows.
#include "readings.h"

// NVML_FI_MAX of the nvml.h of the CUDA version that came with the branch: the first number that it does not know.
// Sources: the history of gen/nvml/nvml.h in NVIDIA/go-nvml, the header of CUDA 13.5, and the table of CUDA versions and
// drivers in NVIDIA's CUDA release notes. Assumption: a later driver of a branch knows no more; 580.159.04 does.
static const struct {
  unsigned branch, first_unknown;
} BRANCHES[] = {
    {455, 147}, {460, 148}, {470, 161}, {520, 167}, {525, 170}, {530, 173}, {535, 197}, {550, 200}, {555, 223},
    {560, 230}, {570, 269}, {575, 274}, {580, 296}, {590, 289}, {595, 303}, {610, 310},
};

// The report: 274 and 289 to 293 are unknown to driver 580.159.04, 294 and 295 are not.
static bool is_left_out(unsigned long branch, unsigned id) {
  return branch >= 580 && branch < 590 && (id == 274 || (id >= 289 && id <= 293));
}

bool sim_field_is_known(unsigned long branch, unsigned id) {
  unsigned first_unknown = BRANCHES[0].first_unknown;
  for (unsigned i = 0; i < sizeof BRANCHES / sizeof BRANCHES[0]; i++)
    if (BRANCHES[i].branch <= branch) first_unknown = BRANCHES[i].first_unknown;
  return id > 0 && id < first_unknown && !is_left_out(branch, id);
}
