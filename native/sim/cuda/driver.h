// How the simulated libcuda's functions reach the node. For programs of one thread, as the check is.
#ifndef PITCREW_SIM_CUDA_DRIVER_H
#define PITCREW_SIM_CUDA_DRIVER_H

#include <stddef.h>

#include "../state.h"
#include "cuda_abi.h"
#include "cuda_functions.h"

// CUDA_SUCCESS where a context is current and its GPU answers; waits as long as that hangs.
CUresult sim_cuda_context(void);
// Whether the file "STATE.cuda-fault" names that fault of the library itself: crash, refuse-ptx, wrong-sum.
bool sim_cuda_fault(const char *name);

#endif
