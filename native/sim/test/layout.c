// Prints size and offset of every struct and the value of every constant that Pitcrew uses: of our header, or of
// NVIDIA's when compiled with VENDOR_HEADER.
#include <stddef.h>
#include <stdio.h>

#ifdef VENDOR_HEADER
#include <nvml.h>
#else
#include "../nvml_abi.h"
#include "../nvml_abi_readings.h"
#endif
#include "../layout.h"

#define STRUCT(type) printf("struct %s - 0 %zu\n", #type, sizeof(type));
#define FIELD(type, field) \
  printf("struct %s %s %zu %zu\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field));
#define CONSTANT(name) printf("const %s %llu\n", #name, (unsigned long long)(name));

int main(void) {
  LAYOUT_STRUCTS
#if !defined(VENDOR_HEADER) || defined(nvmlGpuFabricInfo_v3)
  LAYOUT_FABRIC_V3
#endif
#if !defined(VENDOR_HEADER) || defined(nvmlDeviceAddressingMode_v1)
  LAYOUT_ADDRESSING_MODE
#endif
#if !defined(VENDOR_HEADER) || defined(nvmlPlatformInfo_v2)
  LAYOUT_PLATFORM_V2
#endif
// Structs without a version of their own.
#if !defined(VENDOR_HEADER) || NVML_API_VERSION >= 13
  LAYOUT_OF_NVML_13
#endif
  LAYOUT_CONSTANTS
  LAYOUT_FIELD_IDS
  return 0;
}
