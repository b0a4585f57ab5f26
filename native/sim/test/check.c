#include "check.h"

#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[128];

void check_failed(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  _exit(1);
}

void check_equal(const char *file, int line, const char *what, long long expected, long long actual) {
  if (expected == actual) return;
  fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, what, actual, expected);
  _exit(1);
}

void check_text(const char *file, int line, const char *what, const char *expected, const char *actual) {
  if (strcmp(expected, actual) == 0) return;
  fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what, actual, expected);
  _exit(1);
}

int check_run(const char *suite, const struct check_test *tests, int count) {
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      snprintf(path, sizeof path, "/tmp/nvml-sim-test.%ld", (long)getpid());
      tests[i].run();
      unlink(path);
      exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) {
      fprintf(stderr, "%s: FAILED: %s\n", suite, tests[i].name);
      return 1;
    }
  }
  printf("%s: %d tests passed\n", suite, count);
  return 0;
}

const char *state_file(void) { return path; }

static int status_of(int result) { return WIFEXITED(result) ? WEXITSTATUS(result) : 128; }

int sim(const char *format, ...) {
  char arguments[256], command[640];
  va_list values;
  va_start(values, format);
  vsnprintf(arguments, sizeof arguments, format, values);
  va_end(values);
  snprintf(command, sizeof command, "%s %s %s >/dev/null 2>&1", getenv("NVML_SIM"), path, arguments);
  return status_of(system(command));
}

int sim_lines(const char *lines, const char *arguments) {
  char command[640];
  snprintf(command, sizeof command, "%s %s %s >/dev/null 2>&1", getenv("NVML_SIM"), path, arguments);
  FILE *input = popen(command, "w");
  CHECK(input != NULL);
  fputs(lines, input);
  return status_of(pclose(input));
}

static void create(const char *profile, int gpus, const char *options) {
  char command[640];
  snprintf(command, sizeof command, "%s create %s --profile %s --gpus %d %s", getenv("NVML_SIM"), path, profile, gpus,
           options);
  EXPECT(0, system(command));
  setenv("NVML_SIM_STATE", path, 1);
  OK(nvmlInit_v2());
}

void node(const char *profile, int gpus) { create(profile, gpus, ""); }

void driver(const char *profile, int gpus, const char *version, const char *cuda) {
  char options[96];
  snprintf(options, sizeof options, "--driver %s --cuda %s", version, cuda);
  create(profile, gpus, options);
}

nvmlDevice_t gpu(unsigned index) {
  nvmlDevice_t device = NULL;
  OK(nvmlDeviceGetHandleByIndex_v2(index, &device));
  return device;
}

long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}
