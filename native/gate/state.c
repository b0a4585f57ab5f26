#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

// The byte that stands for each state on the wire.
static const char LETTERS[] = {
    [STATE_UNKNOWN] = '?', [STATE_RUNNING] = 'r', [STATE_BACKING_OFF] = 'b', [STATE_WAITING] = 'w'};

static socklen_t address_of(const struct program *program, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  // The NUL in front puts the name into the abstract namespace.
  int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "pitcrew-gate/%s:%d",
                        program->name, (int)program->health_port);
  if (length >= (int)sizeof address->sun_path - 1) {
    return 0;
  }
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int closed(int descriptor) {
  int reason = errno;
  close(descriptor);
  errno = reason;
  return -1;
}

int state_listen(const struct program *program) {
  struct sockaddr_un address;
  socklen_t length = address_of(program, &address);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) {
    return -1;
  }
  bool listens = bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 16) == 0;
  return listens ? listener : closed(listener);
}

void state_answer(int socket, enum state state, const char *text) {
  int client;
  while ((client = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    char answer[STATE_TEXT_BYTES];
    int length = snprintf(answer, sizeof answer, "%c%s", LETTERS[state], text);
    length = length < (int)sizeof answer ? length : (int)sizeof answer - 1;
    // Fits into an empty socket's buffer. Who went away before the answer gets none.
    send(client, answer, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(client);
  }
}

static enum state state_of(char letter) {
  for (enum state state = STATE_RUNNING; state <= STATE_WAITING; state++) {
    if (LETTERS[state] == letter) {
      return state;
    }
  }
  return STATE_UNKNOWN;
}

static enum state receive(int client, int64_t deadline, char text[STATE_TEXT_BYTES]) {
  char answer[STATE_TEXT_BYTES] = "";
  struct pollfd wait = {.fd = client, .events = POLLIN};
  if (poll(&wait, 1, clock_poll_timeout(deadline)) <= 0 ||
      recv(client, answer, sizeof answer - 1, 0) <= 0) {
    return STATE_UNKNOWN;
  }
  snprintf(text, STATE_TEXT_BYTES, "%s", answer + 1);
  return state_of(answer[0]);
}

enum state state_ask(const struct program *program, int64_t deadline, char text[STATE_TEXT_BYTES]) {
  struct sockaddr_un address;
  socklen_t length = address_of(program, &address);
  int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client < 0) {
    return STATE_UNKNOWN;
  }
  // Connecting to a Unix socket does not wait: it is queued or refused at once.
  bool connected = connect(client, (struct sockaddr *)&address, length) == 0;
  enum state state = connected ? receive(client, deadline, text) : STATE_UNKNOWN;
  close(client);
  return state;
}
