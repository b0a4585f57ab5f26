// The program of pods that compute on a real GPU. It knows nothing of the driver but the functions of cuda.h that it looks up. It prints what
// its container has: "device PATH", "uid-map ...", "gpus N", "gpu I UUID NAME", "multiprocessors N, ...", "sums right" or "FAILED ...",
// "program PATH" of nvidia-smi, and "done". With FAULT a kernel then writes where no memory is, and "fault N" is CUDA's error. For
// LOAD_SECONDS it computes without a pause; then it waits for its end.
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int (*function)();

enum { BLOCKS = 1056, THREADS = 256, ADDITIONS = 1 << 20, BLOCKING_SYNC = 4, MULTIPROCESSOR_COUNT = 16 };

// Each thread adds 1.0 ADDITIONS times, which a float counts exactly up to 2^24.
static const char kernel[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                             ".visible .entry count(.param .u64 to, .param .u32 times) {\n"
                             ".reg .pred %p;\n.reg .b32 %r<6>;\n.reg .f32 %f<2>;\n.reg .b64 %d<4>;\n"
                             "ld.param.u64 %d1, [to];\nld.param.u32 %r1, [times];\ncvta.to.global.u64 %d1, %d1;\n"
                             "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                             "mad.lo.u32 %r5, %r2, %r3, %r4;\nmul.wide.u32 %d2, %r5, 4;\nadd.u64 %d3, %d1, %d2;\n"
                             "mov.f32 %f1, 0f00000000;\n"
                             "next:\nadd.rn.f32 %f1, %f1, 0f3F800000;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, 0;\n"
                             "@%p bra next;\nst.global.f32 [%d3], %f1;\nret;\n}\n";

static void *library;

static function find(const char *name) {
  function found = (function)dlsym(library, name);
  if (!found) {
    printf("FAILED libcuda has no %s\n", name);
    exit(1);
  }
  return found;
}

#define CALL(name, ...)                                                                                               \
  do {                                                                                                                \
    int code = find(#name)(__VA_ARGS__);                                                                              \
    if (code) {                                                                                                       \
      printf("FAILED " #name " %d\ndone\n", code);                                                                   \
      pause();                                                                                                        \
    }                                                                                                                 \
  } while (0)

static void list(const char *folder, const char *prefix) {
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (!strncmp(entry->d_name, prefix, strlen(prefix))) {
      printf("device %s/%s\n", folder, entry->d_name);
    }
  }
}

static void user_map(void) {
  FILE *map = fopen("/proc/self/uid_map", "r");
  unsigned inside, outside, count;
  while (map && fscanf(map, "%u %u %u", &inside, &outside, &count) == 3) {
    printf("uid-map %u %u %u\n", inside, outside, count);
  }
}

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static float result[BLOCKS * THREADS];

static void compute(void *kernel_function, unsigned long long buffer) {
  int times = ADDITIONS;
  void *arguments[] = {&buffer, &times};
  CALL(cuLaunchKernel, kernel_function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL);
  memset(result, 0, sizeof result);
  CALL(cuMemcpyDtoH_v2, result, buffer, sizeof result);
  for (int i = 0; i < BLOCKS * THREADS; i++) {
    if (result[i] != ADDITIONS) {
      printf("FAILED sum %d is %f\ndone\n", i, result[i]);
      pause();
    }
  }
}

static void find_smi(void) {
  for (char *folder = strtok(strdup(getenv("PATH")), ":"); folder; folder = strtok(NULL, ":")) {
    char path[200];
    snprintf(path, sizeof path, "%s/nvidia-smi", folder);
    if (!access(path, X_OK)) {
      printf("program %s\n", path);
    }
  }
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGTERM, end);
  list("/dev", "nvidia");
  list("/dev/nvidia-caps", "nvidia-cap");
  user_map();
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    printf("no library: %s\ndone\n", dlerror());
    pause();
  }
  int gpus, device;
  CALL(cuInit, 0);
  CALL(cuDeviceGetCount, &gpus);
  printf("gpus %d\n", gpus);
  for (int i = 0; i < gpus; i++) {
    char name[100];
    unsigned char id[16];
    CALL(cuDeviceGet, &device, i);
    CALL(cuDeviceGetName, name, sizeof name, device);
    CALL(cuDeviceGetUuid_v2, id, device);
    printf("gpu %d GPU-", i);
    for (int byte = 0; byte < 16; byte++) {
      printf(byte == 4 || byte == 6 || byte == 8 || byte == 10 ? "-%02x" : "%02x", id[byte]);
    }
    printf(" %s\n", name);
  }
  void *context, *module, *count;
  unsigned long long buffer;
  size_t free_bytes, all_bytes;
  int processors;
  CALL(cuDeviceGet, &device, 0);
  CALL(cuCtxCreate_v2, &context, BLOCKING_SYNC, device);
  CALL(cuDeviceGetAttribute, &processors, MULTIPROCESSOR_COUNT, device);
  CALL(cuMemGetInfo_v2, &free_bytes, &all_bytes);
  printf("multiprocessors %d, %zu of %zu MiB free\n", processors, free_bytes >> 20, all_bytes >> 20);
  CALL(cuModuleLoadData, &module, kernel);
  CALL(cuModuleGetFunction, &count, module, "count");
  CALL(cuMemAlloc_v2, &buffer, sizeof result);
  compute(count, buffer);
  puts("sums right");
  find_smi();
  puts("done");
  if (getenv("FAULT")) {
    int times = 1;
    unsigned long long nowhere = 1 << 20;
    void *arguments[] = {&nowhere, &times};
    CALL(cuLaunchKernel, count, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    printf("fault %d\n", find("cuCtxSynchronize")());
  }
  const char *load = getenv("LOAD_SECONDS");
  for (time_t last = time(NULL) + (load ? atol(load) : 0); time(NULL) < last;) {
    compute(count, buffer);
  }
  puts("load done");
  for (;;) {
    pause();
  }
}
