// Prints the constants: ours, or NVIDIA's when compiled with VENDOR_HEADER, which also checks the functions' types.
#include <stddef.h>
#include <stdio.h>

#ifdef VENDOR_HEADER
#include <cuda.h>
#define CUDA_API
#else
#include "../cuda_abi.h"
#endif
#include "../constants.h"
#include "../cuda_functions.h"

#define PRINT(name) printf("%s %llu\n", #name, (unsigned long long)(name));

int main(void) {
  CUDA_CONSTANTS(PRINT)
  return 0;
}
