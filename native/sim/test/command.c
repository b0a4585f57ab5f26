// The command nvml-sim: what it prints, and layouts that it refuses as a whole.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static const char *output(const char *arguments) {
  static char text[1 << 18];
  char command[640];
  snprintf(command, sizeof command, "%s %s %s 2>&1", getenv("NVML_SIM"), state_file(), arguments);
  FILE *stream = popen(command, "r");
  CHECK(stream != NULL);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  pclose(stream);
  return text;
}

static void showPrintsOneLineAGpu(void) {
  node("gb200", 2);
  EXPECT_TEXT(
      "gpu 0 0 GPU-12345678-1234-1234-1234-123456780000 00000008:01:00.0 0 NVIDIA GB200\n"
      "gpu 1 1 GPU-12345678-1234-1234-1234-123456780001 00000009:01:00.0 0 NVIDIA GB200\n",
      output("show"));
}

static void showPrintsMigDevicesThatNeverChangeTheirUuid(void) {
  char first[8192];
  node("a100-40g", 1);
  EXPECT(0, sim_lines("# a comment\n\nmode 0 1 1\ngi 0 7 0 0 1\nci 0 7 0 0 0 1\n", "mig -"));
  snprintf(first, sizeof first, "%s", output("show"));
  const char *mig = strstr(first, "mig 0 0 MIG-");
  CHECK(mig != NULL && strstr(mig, " 7 0\n") != NULL);
  EXPECT(0, sim_lines("mode 0 1 1\n", "mig -"));
  CHECK(strstr(output("show"), "mig ") == NULL);
  EXPECT(0, sim_lines("mode 0 1 1\ngi 0 7 0 0 1\nci 0 7 0 0 0 1\n", "mig -"));
  EXPECT_TEXT(first, output("show"));
}

static void layoutsThatDoNotFitAreRefusedAsAWhole(void) {
  static const char *const wrong[] = {
      "gi 0 1 0 0 1\n",                               // not in MIG mode
      "mode 0 1 1\ngi 0 1 2 0 4\ngi 0 2 3 0 4\n",     // overlap
      "mode 0 1 1\ngi 0 1 1 1 2\n",                   // no such placement
      "mode 0 1 1\ngi 0 1 0 0 1\ngi 0 1 0 1 1\n",     // the same id twice
      "mode 0 1 1\ngi 0 1 5 0 8\n",                   // no such profile
      "mode 0 1 1\nci 0 1 0 0 0 1\n",                 // no such GPU instance
      "mode 0 1 1\ngi 0 1 0 0 1\nci 0 1 0 2 0 3\n",   // compute profile too large
      "mode 0 1 1\ngi 0 1 7 0 1\ngi 0 2 7 1 1\n",     // media extensions twice
      "mode 9 1 1\n", "mode 0 1\n", "what 0 1 1\n", "mode 0 2 1\n"};
  node("a100-40g", 2);
  for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char lines[256];
    snprintf(lines, sizeof lines, "mode 1 1 1\n%s", wrong[i]);
    EXPECT(1, sim_lines(lines, "mig -"));
    unsigned current, pending;
    OK(nvmlDeviceGetMigMode(gpu(1), &current, &pending));
    EXPECT(0, current);
  }
}

static void mistakesAreExplained(void) {
  node("t4", 1);
  CHECK(strstr(output("xid 5 79"), "no GPU 5: there are 1") != NULL);
  CHECK(strstr(output("dance"), "no command dance") != NULL);
  CHECK(strstr(output("xid 0"), "too few arguments") != NULL);
  CHECK(strstr(output("ecc 0 triple"), "single or double") != NULL);
  CHECK(strstr(output("get 0 temperature_c"), "temperature_c 31") != NULL);
  CHECK(strstr(output("set 0 name 'NVIDIA T4'"), "") != NULL);
  CHECK(strstr(output("show"), " NVIDIA T4\n") != NULL);
}

static void driverAndCudaCanBeChosen(void) {
  char command[640], text[80];
  int cuda;
  snprintf(command, sizeof command, "%s create %s --profile=h100 --gpus=16 --driver 535.54.03 --cuda 12.2",
           getenv("NVML_SIM"), state_file());
  EXPECT(0, system(command));
  setenv("NVML_SIM_STATE", state_file(), 1);
  OK(nvmlInit_v2());
  OK(nvmlSystemGetDriverVersion(text, sizeof text));
  EXPECT_TEXT("535.54.03", text);
  OK(nvmlSystemGetCudaDriverVersion(&cuda));
  EXPECT(12020, cuda);
  OK(nvmlDeviceGetUUID(gpu(15), text, sizeof text));
  EXPECT_TEXT("GPU-12345678-1234-1234-1234-12345678000f", text);
}

static void aResetByNvidiaSmiTakesUpTheMode(void) {
  char command[640];
  unsigned current, pending;
  nvmlReturn_t activation;
  node("a100-40g", 3);
  for (unsigned i = 0; i < 3; i++) OK(nvmlDeviceSetMigMode(gpu(i), 1, &activation));
  snprintf(command, sizeof command, "%s -r -i 0000:07:00.0,00000000:0f:00.0 >/dev/null 2>&1", getenv("NVIDIA_SMI"));
  CHECK(system(command) != 0);  // NVML is open here
  OK(nvmlShutdown());
  EXPECT(0, system(command));
  OK(nvmlInit_v2());
  for (unsigned i = 0; i < 3; i++) {
    OK(nvmlDeviceGetMigMode(gpu(i), &current, &pending));
    EXPECT(i < 2, current);
  }
}

// As in a driver root: the library finds the state in its own folder.
static void theStateMayLieBesideTheLibrary(void) {
  char folder[] = "/tmp/nvml-sim-root.XXXXXX", command[640], library[128];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(command, sizeof command, "cp %s %s/ && %s create %s/nvml-sim.state --profile h200 --gpus 3",
           getenv("NVML_LIBRARY"), folder, getenv("NVML_SIM"), folder);
  EXPECT(0, system(command));
  unsetenv("NVML_SIM_STATE");
  snprintf(library, sizeof library, "%s/libnvidia-ml.so.1", folder);
  void *loaded = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  CHECK(loaded != NULL);
  nvmlReturn_t (*init)(void) = (nvmlReturn_t(*)(void))(uintptr_t)dlsym(loaded, "nvmlInit_v2");
  nvmlReturn_t (*device_count)(unsigned *) = (nvmlReturn_t(*)(unsigned *))(uintptr_t)dlsym(loaded, "nvmlDeviceGetCount_v2");
  unsigned count;
  OK(init());
  OK(device_count(&count));
  EXPECT(3, count);
  snprintf(command, sizeof command, "rm -r %s", folder);
  EXPECT(0, system(command));
}

static void capabilityMinorsFollowTheDriver(void) {
  node("h100", 2);
  const char *table = output("minors");
  CHECK(strstr(table, "config 1\nmonitor 2\ngpu0/gi0/access 3\ngpu0/gi0/ci0/access 4\n") == table);
  CHECK(strstr(table, "\ngpu1/gi13/access 255\ngpu1/gi13/ci0/access 256\n") != NULL);
  // Of as many GPUs as there could be: a real driver has 4323 for what comes after them.
  CHECK(strstr(table, "\ngpu31/gi14/ci7/access 4322\n") != NULL);
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(showPrintsOneLineAGpu), TEST(showPrintsMigDevicesThatNeverChangeTheirUuid),
      TEST(layoutsThatDoNotFitAreRefusedAsAWhole), TEST(mistakesAreExplained), TEST(driverAndCudaCanBeChosen),
      TEST(aResetByNvidiaSmiTakesUpTheMode), TEST(theStateMayLieBesideTheLibrary),
      TEST(capabilityMinorsFollowTheDriver)};
  return RUN("command", tests);
}
