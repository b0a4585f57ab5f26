#include "table.h"

#include <string.h>

#include "check.h"
#include "duration.h"
#include "exits.h"
#include "gpu.h"

static struct table table;

static enum table_result find(const char *text, const char *name, struct program *program) {
  strcpy(table.home, "/home");
  strcpy(table.path, "/home/etc/programs");
  strcpy(table.text, text);
  return table_find(&table, name, program);
}

static void aLineGivesAProgramWithDefaults(void) {
  struct program program;
  const char *text = "# comment\n\n  other  x.Y jars=lib\n\tagent dev.Main jars=lib/a:lib/b.jar  # why\n";
  CHECK(find(text, "agent", &program) == TABLE_FOUND);
  CHECK(strcmp(program.main_class, "dev.Main") == 0);
  CHECK(strcmp(program.jars, "lib/a:lib/b.jar") == 0);
  CHECK(strcmp(program.java, "jre/bin/java") == 0);
  CHECK(program.flags == NULL && program.aot == NULL && program.clear == NULL);
  CHECK(program.oom == OOM_LIKE_ANY && program.asks == NULL);
  CHECK(program.arguments[0] == NULL && program.health_port == 0);
  CHECK(program.is_restarted && !program.waits_for_gpu);
  CHECK(program.backoff_first_ms == 1000 && program.backoff_cap_ms == 60000);
  CHECK(program.backoff_reset_ms == 300000 && program.scan_ms == 30000);
}

static void everyKeyIsRead(void) {
  struct program program;
  const char *text =
      "a M jars=j java=/x flags=f aot=c clear=--clear arg=one arg=two health=8081 restart=yes wait=gpu "
      "grace=9s scan=250ms backoff=1ms backoff-cap=2ms backoff-reset=3m";
  CHECK(find(text, "a", &program) == TABLE_FOUND);
  CHECK(strcmp(program.clear, "--clear") == 0 && strcmp(program.aot, "c") == 0);
  CHECK(strcmp(program.arguments[1], "two") == 0 && program.arguments[2] == NULL);
  CHECK(program.health_port == 8081 && program.waits_for_gpu);
  CHECK(program.grace_ms == 9000 && program.scan_ms == 250 && program.backoff_reset_ms == 180000);
}

static void commandsMayBeEndedFirst(void) {
  struct program program;
  CHECK(find("a M jars=j restart=no oom=oneshot", "a", &program) == TABLE_FOUND);
  CHECK(program.oom == OOM_FIRST_WITH_ONESHOT);
  CHECK(find("a M jars=j restart=no oom=first", "a", &program) == TABLE_FOUND);
  CHECK(program.oom == OOM_FIRST);
}

static void commandsMayAskAnAgent(void) {
  struct program program;
  CHECK(find("a M jars=j restart=no asks=/run/a.sock", "a", &program) == TABLE_FOUND);
  CHECK(strcmp(program.asks, "/run/a.sock") == 0);
}

static void wrongLinesAreRefused(void) {
  const char *wrong[] = {
      "a",
      "a M",
      "a jars=j",
      "a M jars=",
      "a M jars=j wait=cpu",
      "a M jars=j health=65536",
      "a M jars=j health=80x",
      "a M jars=j grace=5",
      "a M jars=j grace=0s",
      "a M jars=j restart=maybe",
      "a M jars=j restart=no wait=gpu",
      "a M jars=j restart=no oom=last",
      "a M jars=j oom=first",
      "a M jars=j asks=/run/a.sock",
      "a M jars=j unknown=1",
      "a M jars=j stray",
      "a M jars=j arg=1 arg=2 arg=3 arg=4 arg=5 arg=6 arg=7 arg=8 arg=9",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct program program;
    CHECK(find(wrong[i], "a", &program) == TABLE_IS_WRONG);
  }
}

static void onlyWholeNamesMatch(void) {
  struct program program;
  CHECK(find("agent M jars=j\n", "age", &program) == TABLE_NO_SUCH_PROGRAM);
  CHECK(find("#agent M jars=j\n", "agent", &program) == TABLE_NO_SUCH_PROGRAM);
  CHECK(find("", "", &program) == TABLE_NO_SUCH_PROGRAM);
}

static void pathsLieBelowHomeUnlessAbsolute(void) {
  struct program program;
  char path[16];
  find("", "", &program);
  CHECK(table_resolve(&table, "lib", path, sizeof path) && strcmp(path, "/home/lib") == 0);
  CHECK(table_resolve(&table, "/lib", path, sizeof path) && strcmp(path, "/lib") == 0);
  CHECK(!table_resolve(&table, "a-long-path", path, sizeof path));
}

static void durationsHaveUnits(void) {
  int64_t time;
  CHECK(parse_duration("1440m", &time) && time == 86400000);
  CHECK(!parse_duration("1441m", &time) && !parse_duration("s", &time) && !parse_duration("1h", &time));
  CHECK(!parse_duration("99999999999999999999s", &time) && !parse_duration("-1s", &time));
}

static void displaysAndAcceleratorsOfNvidiaAreGpus(void) {
  CHECK(gpu_is_gpu("0x10de\n", "0x030000\n"));
  CHECK(gpu_is_gpu("0x10de\n", "0x030200\n"));
  CHECK(gpu_is_gpu("0x10de\n", "0x120000\n"));
  CHECK(!gpu_is_gpu("0x10de\n", "0x068000\n")); // an NVSwitch
  CHECK(!gpu_is_gpu("0x10de\n", "0x040300\n")); // the sound of a graphics card
  CHECK(!gpu_is_gpu("0x10de\n", "0x030100\n"));
  CHECK(!gpu_is_gpu("0x1002\n", "0x030000\n"));
  CHECK(!gpu_is_gpu("", ""));
}

static void usageErrorsAreFinal(void) {
  CHECK(exit_is_final(0) && exit_is_final(2) && exit_is_final(64) && exit_is_final(78));
  CHECK(!exit_is_final(1) && !exit_is_final(63) && !exit_is_final(79) && !exit_is_final(137));
}

int main(void) {
  aLineGivesAProgramWithDefaults();
  everyKeyIsRead();
  commandsMayBeEndedFirst();
  commandsMayAskAnAgent();
  wrongLinesAreRefused();
  onlyWholeNamesMatch();
  pathsLieBelowHomeUnlessAbsolute();
  durationsHaveUnits();
  displaysAndAcceleratorsOfNvidiaAreGpus();
  usageErrorsAreFinal();
  return 0;
}
