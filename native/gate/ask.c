#define _GNU_SOURCE
#include "ask.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

enum {
  REQUEST_BYTES = 8 * 1024,
  MOST_OUTPUT_BYTES = 1024 * 1024, // of each stream
  HEAD_BYTES = 10,
  RECEIVED_WITHIN_MS = 5 * 1000,  // an agent that starts, or that has little of a processor
  ANSWERED_WITHIN_MS = 45 * 1000, // longer than the agent lets a command run
};

static const char RECEIVED = 'r';
static const char ANSWERED = 'a';

// The command line in one piece; nothing of it is kept where it does not fit.
struct request {
  char bytes[REQUEST_BYTES];
  size_t length;
};

// An empty word would look like the end. The last byte is kept for the end itself.
static bool add_word(struct request *request, const char *word) {
  size_t size = strlen(word) + 1;
  if (size == 1 || size > sizeof request->bytes - 1 - request->length) {
    return false;
  }
  memcpy(request->bytes + request->length, word, size);
  request->length += size;
  return true;
}

static bool add_words(struct request *request, char *const *words) {
  for (; *words != NULL; words++) {
    if (!add_word(request, *words)) {
      return false;
    }
  }
  return true;
}

static bool is_written(struct request *request, const struct program *program, char *const *arguments) {
  bool fits = add_words(request, (char *const *)program->arguments) && add_words(request, arguments);
  request->bytes[request->length++] = '\0';
  return fits;
}

// Connecting to a Unix socket does not wait: it is queued or refused at once.
static int connected(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= (int)sizeof address.sun_path) {
    return -1;
  }
  int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client >= 0 && connect(client, (struct sockaddr *)&address, sizeof address) != 0) {
    close(client);
    return -1;
  }
  return client;
}

// Exactly so many bytes.
static bool is_received(int client, char *bytes, size_t size, int64_t deadline) {
  for (size_t length = 0; length < size;) {
    poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, clock_poll_timeout(deadline));
    ssize_t count = recv(client, bytes + length, size - length, 0);
    bool is_over = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    length += count > 0 ? (size_t)count : 0;
    if (is_over || (length < size && clock_now_ms() >= deadline)) {
      return false;
    }
  }
  return true;
}

// Four bytes, the highest first.
static size_t number_at(const char *bytes) {
  size_t number = 0;
  for (int i = 0; i < 4; i++) {
    number = number << 8 | (unsigned char)bytes[i];
  }
  return number;
}

// A stream that does not take more at the moment is waited for, as by any program.
static void write_all(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && errno == EAGAIN) {
      poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      return;
    }
    bytes += count > 0 ? count : 0;
    size -= count > 0 ? (size_t)count : 0;
  }
}

// All of it before any is written: what breaks off halfway has not happened.
static bool is_answered(int client, int *code) {
  char received;
  if (!is_received(client, &received, 1, clock_now_ms() + RECEIVED_WITHIN_MS) || received != RECEIVED) {
    return false;
  }
  char head[HEAD_BYTES];
  int64_t deadline = clock_now_ms() + ANSWERED_WITHIN_MS;
  if (!is_received(client, head, sizeof head, deadline) || head[0] != ANSWERED) {
    return false;
  }
  size_t errors = number_at(head + 2);
  size_t output = number_at(head + 6);
  if (errors > MOST_OUTPUT_BYTES || output > MOST_OUTPUT_BYTES) {
    return false;
  }
  char *text = malloc(errors + output + 1);
  bool is_whole = text != NULL && is_received(client, text, errors + output, deadline);
  if (is_whole) {
    write_all(STDERR_FILENO, text, errors);
    write_all(STDOUT_FILENO, text + errors, output);
    *code = (unsigned char)head[1];
  }
  free(text);
  return is_whole;
}

bool ask_agent(const struct program *program, char *const *arguments, int *code) {
  struct request request = {.length = 0};
  if (program->asks == NULL || !is_written(&request, program, arguments)) {
    return false;
  }
  int client = connected(program->asks);
  if (client < 0) {
    return false;
  }
  // So short a request fits into the buffer of a new connection.
  bool is_sent = send(client, request.bytes, request.length, MSG_NOSIGNAL) == (ssize_t)request.length;
  bool done = is_sent && is_answered(client, code);
  close(client);
  return done;
}
