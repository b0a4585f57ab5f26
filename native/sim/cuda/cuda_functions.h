// The functions of libcuda that Pitcrew calls. Compiled after NVIDIA's cuda.h it is a check of their types.
#ifndef CUDA_API
#define CUDA_API __attribute__((visibility("default")))
#endif

CUDA_API CUresult cuInit(unsigned int flags);
CUDA_API CUresult cuDriverGetVersion(int *version);
CUDA_API CUresult cuDeviceGetCount(int *count);
CUDA_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUDA_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUDA_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUDA_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUDA_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUDA_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUDA_API CUresult cuCtxSetCurrent(CUcontext context);
CUDA_API CUresult cuCtxSynchronize(void);
CUDA_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                                     void **values);
CUDA_API CUresult cuModuleUnload(CUmodule module);
CUDA_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUDA_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CUDA_API CUresult cuMemFree_v2(CUdeviceptr address);
CUDA_API CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes);
CUDA_API CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t bytes);
CUDA_API CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
                                 unsigned int blockX, unsigned int blockY, unsigned int blockZ,
                                 unsigned int sharedBytes, CUstream stream, void **parameters, void **extra);
