// Modules, device memory and launches. It runs one kind of kernel: (u64 one, u64 other, u64 sum, u32 count), a vector sum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

enum { BUFFERS_MAX = 64, NAME_MAX_BYTES = 64 };

struct CUfunc_st {
  char name[NAME_MAX_BYTES];
};
struct CUmod_st {
  struct CUfunc_st entry;
};

// Addresses of the device are none of the host: who confuses them meets an error, or a page that is not there.
static const CUdeviceptr FIRST_ADDRESS = 0x700000000000ull;
static struct buffer {
  CUdeviceptr address;
  size_t bytes;
  char *content;
} buffers[BUFFERS_MAX];

static struct buffer *buffer_at(CUdeviceptr address, size_t bytes) {
  for (int i = 0; i < BUFFERS_MAX; i++) {
    struct buffer *buffer = &buffers[i];
    if (buffer->content != NULL && address >= buffer->address && bytes <= buffer->bytes &&
        address - buffer->address <= buffer->bytes - bytes)
      return buffer;
  }
  return NULL;
}

static char *memory_at(CUdeviceptr address, size_t bytes) {
  struct buffer *buffer = buffer_at(address, bytes);
  return buffer == NULL ? NULL : buffer->content + (address - buffer->address);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  CUresult result = sim_cuda_context();
  if (result != CUDA_SUCCESS) return result;
  if (address == NULL || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < BUFFERS_MAX; i++) {
    if (buffers[i].content != NULL) continue;
    char *content = malloc(bytes);
    if (content == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(content, 0xA5, bytes);
    buffers[i] = (struct buffer){FIRST_ADDRESS + ((CUdeviceptr)i << 32), bytes, content};
    *address = buffers[i].address;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  CUresult result = sim_cuda_context();
  struct buffer *buffer = buffer_at(address, 1);
  if (result != CUDA_SUCCESS) return result;
  if (buffer == NULL || buffer->address != address) return CUDA_ERROR_INVALID_VALUE;
  free(buffer->content);
  *buffer = (struct buffer){0};
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes) {
  CUresult result = sim_cuda_context();
  char *memory = memory_at(target, bytes);
  if (result != CUDA_SUCCESS) return result;
  if (memory == NULL || source == NULL) return CUDA_ERROR_INVALID_VALUE;
  memcpy(memory, source, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t bytes) {
  CUresult result = sim_cuda_context();
  const char *memory = memory_at(source, bytes);
  if (result != CUDA_SUCCESS) return result;
  if (memory == NULL || target == NULL) return CUDA_ERROR_INVALID_VALUE;
  memcpy(target, memory, bytes);
  return CUDA_SUCCESS;
}

// The compiler is a library of its own, which the driver looks for by name.
static bool compiler_is_there(void) {
  const char *folders = getenv("LD_LIBRARY_PATH");
  char list[4096], path[4200];
  snprintf(list, sizeof list, "%s", folders == NULL ? "" : folders);
  char *rest = list, *folder;
  while ((folder = strsep(&rest, ":")) != NULL) {
    snprintf(path, sizeof path, "%s/libnvidia-ptxjitcompiler.so.1", folder);
    if (folder[0] != '\0' && access(path, R_OK) == 0) return true;
  }
  return false;
}

static void log_error(unsigned count, const CUjit_option *options, void **values, const char *text) {
  char *log = NULL;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) bytes = (size_t)(uintptr_t)values[i];
  }
  if (log != NULL && bytes > 0) snprintf(log, bytes, "%s", text);
}

// Reads " .param .TYPE NAME" and the comma or parenthesis after it.
static const char *parameter(const char *text, const char *type) {
  char actual[8], name[NAME_MAX_BYTES], end[2];
  int length = 0;
  if (sscanf(text, " .param .%7s %63[A-Za-z0-9_] %1[,)]%n", actual, name, end, &length) != 3) return NULL;
  return strcmp(actual, type) == 0 ? text + length : NULL;
}

static bool read_entry(const char *ptx, char name[NAME_MAX_BYTES]) {
  static const char *const TYPES[] = {"u64", "u64", "u64", "u32"};
  const char *entry = strstr(ptx, ".visible .entry ");
  int length = 0;
  if (entry == NULL || sscanf(entry, ".visible .entry %63[A-Za-z0-9_] (%n", name, &length) != 1 || length == 0)
    return false;
  const char *rest = entry + length;
  for (int i = 0; rest != NULL && i < 4; i++) rest = parameter(rest, TYPES[i]);
  return rest != NULL && rest[-1] == ')' && strstr(ptx, ".target sm_") != NULL && strstr(rest, "add.rn.f32") != NULL;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values) {
  CUresult result = sim_cuda_context();
  if (result != CUDA_SUCCESS) return result;
  if (module == NULL || image == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (!compiler_is_there()) return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  struct CUmod_st *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  if (sim_cuda_fault("refuse-ptx") || !read_entry(image, loaded->entry.name)) {
    log_error(count, options, values, "ptxas fatal : this kernel is not understood\n");
    free(loaded);
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = loaded;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  CUresult result = sim_cuda_context();
  if (result == CUDA_SUCCESS) free(module);
  return result;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  CUresult result = sim_cuda_context();
  if (result != CUDA_SUCCESS) return result;
  if (function == NULL || module == NULL || name == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (strcmp(module->entry.name, name) != 0) return CUDA_ERROR_NOT_FOUND;
  *function = &module->entry;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
                        unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int sharedBytes,
                        CUstream stream, void **parameters, void **extra) {
  CUresult result = sim_cuda_context();
  (void)sharedBytes;
  if (result != CUDA_SUCCESS) return result;
  if (function == NULL || stream != NULL || parameters == NULL || extra != NULL) return CUDA_ERROR_INVALID_VALUE;
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 || gridX == 0 || blockX == 0 || blockX > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t threads = (uint64_t)gridX * blockX;
  uint32_t count = *(const uint32_t *)parameters[3];
  if (threads < count) count = (uint32_t)threads;
  size_t bytes = count * sizeof(float);
  const float *one = (const float *)(void *)memory_at(*(const CUdeviceptr *)parameters[0], bytes);
  const float *other = (const float *)(void *)memory_at(*(const CUdeviceptr *)parameters[1], bytes);
  float *sum = (float *)(void *)memory_at(*(const CUdeviceptr *)parameters[2], bytes);
  if (one == NULL || other == NULL || sum == NULL) return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (uint32_t i = 0; i < count; i++) sum[i] = one[i] + other[i];
  if (sim_cuda_fault("wrong-sum") && count > 7) sum[7] += 1;
  return CUDA_SUCCESS;
}
