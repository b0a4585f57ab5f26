#define _GNU_SOURCE
#include "oom.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool holds(const char *path, const char *text) {
  char found[16] = "";
  FILE *file = fopen(path, "r");
  CHECK(file != NULL && fgets(found, sizeof found, file) != NULL && fclose(file) == 0);
  return strncmp(found, text, strlen(text)) == 0;
}

int main(void) {
  char folder[] = "/tmp/oom_test.XXXXXX";
  CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("pod", 0700) == 0);

  // The container of a kubelet that has all processes of one ended.
  put("membership", "4:memory:/other\n0::/pod\n");
  put("pod/memory.oom.group", "1\n");
  CHECK(oom_end_processes_alone("membership", "."));
  CHECK(holds("pod/memory.oom.group", "0"));

  // Nothing to change, and nothing to change it by.
  CHECK(!oom_end_processes_alone("membership", "."));
  CHECK(remove("pod/memory.oom.group") == 0);
  CHECK(!oom_end_processes_alone("membership", "."));
  put("membership", "4:memory:/pod\n");
  CHECK(!oom_end_processes_alone("membership", "."));
  CHECK(!oom_end_processes_alone("absent", "."));

  CHECK(remove("membership") == 0 && rmdir("pod") == 0 && rmdir(folder) == 0);
  return 0;
}
