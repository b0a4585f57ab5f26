#define _GNU_SOURCE
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

enum { ANSWER_BYTES = 2048 };

struct answer {
  char text[ANSWER_BYTES];
  size_t length;
};

// False with errno set; ETIMEDOUT when the deadline has passed.
static bool wait_for(int socket, short events, int64_t deadline) {
  struct pollfd wait = {.fd = socket, .events = events};
  int count;
  do {
    count = poll(&wait, 1, clock_poll_timeout(deadline));
  } while (count < 0 && errno == EINTR);
  if (count == 0) {
    errno = ETIMEDOUT;
  }
  return count > 0;
}

static bool is_connected(int client, int port, int64_t deadline) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) {
    return true;
  }
  if (errno != EINPROGRESS || !wait_for(client, POLLOUT, deadline)) {
    return false;
  }
  int reason = 0;
  socklen_t size = sizeof reason;
  if (getsockopt(client, SOL_SOCKET, SO_ERROR, &reason, &size) == 0) {
    errno = reason;
  }
  return errno == 0;
}

static bool is_sent(int client, const char *path) {
  char request[256];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
  // So short a request always fits into the buffer of a new connection.
  return send(client, request, (size_t)length, MSG_NOSIGNAL) == length;
}

static int status_of(const struct answer *answer) {
  int status = 0;
  return sscanf(answer->text, "HTTP/1.%*1d %3d", &status) == 1 ? status : 0;
}

static bool has_status_line(const struct answer *answer) {
  return strstr(answer->text, "\r\n") != NULL;
}

// Until the end, so that the body can be quoted; but a good answer is known by its first line.
static bool is_received(int client, int64_t deadline, struct answer *answer) {
  while (answer->length + 1 < sizeof answer->text) {
    if (!wait_for(client, POLLIN, deadline)) {
      return has_status_line(answer);
    }
    ssize_t count = recv(client, answer->text + answer->length,
                         sizeof answer->text - 1 - answer->length, 0);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      return false;
    }
    if (count == 0) {
      errno = EPROTO;
      return has_status_line(answer);
    }
    answer->length += count > 0 ? (size_t)count : 0;
    if (has_status_line(answer) && status_of(answer) == 200) {
      return true;
    }
  }
  return has_status_line(answer);
}

static bool exchange(int port, const char *path, int64_t deadline, struct answer *answer) {
  int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client < 0) {
    return false;
  }
  bool done = is_connected(client, port, deadline) && is_sent(client, path) &&
              is_received(client, deadline, answer);
  int reason = errno;
  close(client);
  errno = reason;
  return done;
}

// The body on one line, without what a terminal or an Event could trip over.
static void quote_body(const struct answer *answer, char *text, size_t size) {
  const char *body = strstr(answer->text, "\r\n\r\n");
  body = body == NULL ? "" : body + 4;
  size_t length = 0;
  for (; *body != '\0' && length + 1 < size; body++) {
    text[length++] = *body == '\n' ? ' ' : *body;
    if (*body < ' ' && *body != '\n') {
      text[length - 1] = '?';
    }
  }
  text[length] = '\0';
}

bool http_is_ok(int port, const char *path, int64_t deadline, char text[HTTP_TEXT_BYTES]) {
  struct answer answer = {.length = 0};
  if (!exchange(port, path, deadline, &answer)) {
    const char *reason = errno == ETIMEDOUT ? "no answer in time" : strerror(errno);
    snprintf(text, HTTP_TEXT_BYTES, "127.0.0.1:%d%s: %s", port, path, reason);
    return false;
  }
  int status = status_of(&answer);
  char body[HTTP_TEXT_BYTES / 2];
  quote_body(&answer, body, sizeof body);
  snprintf(text, HTTP_TEXT_BYTES, "127.0.0.1:%d%s answered %d: %s", port, path, status, body);
  return status == 200;
}
