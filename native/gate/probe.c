#include "probe.h"

#include <stdio.h>

#include "clock.h"
#include "exits.h"
#include "http.h"
#include "state.h"

static int passed(const struct program *program, const char *text) {
  printf("%s: %s\n", program->name, text);
  return 0;
}

static int failed(const struct program *program, const char *text) {
  fprintf(stderr, "%s: %s\n", program->name, text);
  return EXIT_PROBE_FAILED;
}

// The JVM itself is asked: a file that it touches would have to be touched for nothing while it is idle,
// and one that it touches only on changes would look fresh while it hangs.
static int ask_jvm(const struct program *program, bool asks_ready, int64_t deadline) {
  char text[HTTP_TEXT_BYTES];
  const char *path = asks_ready ? "/readyz" : "/healthz";
  bool is_ok = http_is_ok((int)program->health_port, path, deadline, text);
  return is_ok ? passed(program, "ok") : failed(program, text);
}

int probe(const struct program *program, bool asks_ready) {
  int64_t deadline = clock_now_ms() + MILLISECONDS_PER_SECOND;
  char text[STATE_TEXT_BYTES];
  switch (state_ask(program, deadline, text)) {
    case STATE_WAITING:
      // All that a node without a GPU can do is done: not ready would hold up every rollout.
      return passed(program, text);
    case STATE_BACKING_OFF:
      // Alive: were the container killed now, the kubelet's longer back-off would come on top.
      return asks_ready ? failed(program, text) : passed(program, text);
    case STATE_RUNNING:
      return program->health_port == 0 ? passed(program, text)
                                       : ask_jvm(program, asks_ready, deadline);
    case STATE_UNKNOWN:
      break;
  }
  return program->health_port == 0 ? failed(program, "no gate runs it here")
                                   : ask_jvm(program, asks_ready, deadline);
}
