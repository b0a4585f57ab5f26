// What the agent may write, and what is refused.
#define _GNU_SOURCE
#include "desired.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static struct desired desired;
static char reason[256];

static bool parse(const char *text) {
  static char copy[DESIRED_BYTES];
  snprintf(copy, sizeof copy, "%s", text);
  return desired_parse(copy, &desired, reason, sizeof reason);
}

static void aDaemonIsOneLine(void) {
  CHECK(parse("pitcrew-mps 1\nnvidia.com/gpu.shared 25 0=GPU-1a=4096 1=GPU-2b=0\nend\n"));
  CHECK(desired.count == 1);
  const struct daemon_spec *daemon = &desired.daemons[0];
  CHECK(strcmp(daemon->resource, "nvidia.com/gpu.shared") == 0);
  CHECK(strcmp(daemon->line, "nvidia.com/gpu.shared 25 0=GPU-1a=4096 1=GPU-2b=0") == 0);
  CHECK(daemon->thread_percentage == 25 && daemon->gpu_count == 2);
  CHECK(daemon->gpus[1].index == 1 && daemon->gpus[1].pinned_mib == 0);
  CHECK(strcmp(daemon->gpus[0].uuid, "GPU-1a") == 0 && daemon->gpus[0].pinned_mib == 4096);
}

static void aClaimMayBeWithoutLimitsAndOfManyUsers(void) {
  CHECK(parse("pitcrew-mps 1\nclaims/0a1b-60699 0 multi-user 0=GPU-1a=0\nclaims/0a1b-8f527 50 0=MIG-1a=4096\nend\n"));
  CHECK(desired.count == 2);
  CHECK(desired.daemons[0].is_multi_user && desired.daemons[0].thread_percentage == 0);
  CHECK(desired.daemons[0].gpu_count == 1 && desired.daemons[0].gpus[0].pinned_mib == 0);
  CHECK(!desired.daemons[1].is_multi_user && desired.daemons[1].thread_percentage == 50);
}

static void nothingAtAllIsAWord(void) {
  CHECK(parse("pitcrew-mps 1\nend\n") && desired.count == 0);
}

static void whatMakesNoSenseIsRefusedAsAWhole(void) {
  static const char *const WRONG[] = {
      "",
      "pitcrew-mps 2\nend\n",
      "pitcrew-mps 1\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 0=GPU-1=1\n",
      "pitcrew-mps 1\nend\nmore\n",
      "pitcrew-mps 1\ngpu 25 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\n../gpu 25 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/.. 25 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/a/b 25 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 0 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 multi-user 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nclaims/../a 25 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nclaims/a 0 multi-user\nend\n",
      "pitcrew-mps 1\nclaims/a 0 multi-user multi-user 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 101 0=GPU-1=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 GPU-1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 0=--help=1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 0=GPU-1=-1\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 0=GPU-1=1=2\nend\n",
      "pitcrew-mps 1\nnvidia.com/gpu 25 0=GPU-1=1\nnvidia.com/gpu 25 0=GPU-1=1\nend\n"};
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
    CHECK(!parse(WRONG[i]));
    CHECK(strncmp(reason, "line ", 5) == 0);
  }
}

int main(void) {
  aDaemonIsOneLine();
  aClaimMayBeWithoutLimitsAndOfManyUsers();
  nothingAtAllIsAWord();
  whatMakesNoSenseIsRefusedAsAWhole();
  return 0;
}
