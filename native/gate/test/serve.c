// A tiny health server for the tests of the probe: `serve PORT-FILE MODE`, until it is killed.
// ok: 200; bad: 503 with a reason; silent: accepts, never answers; slow: a byte now and then;
// garbage: not HTTP; close: hangs up.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void need(int holds, const char *what) {
  if (!holds) {
    perror(what);
    exit(1);
  }
}

static int listen_anywhere(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  need(listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0, "bind");
  need(listen(listener, 16) == 0, "listen");
  need(getsockname(listener, (struct sockaddr *)&address, &size) == 0, "getsockname");
  *port = ntohs(address.sin_port);
  return listener;
}

// Renamed into place, so that who sees the file sees the port.
static void publish(const char *path, int port) {
  char draft[4096];
  snprintf(draft, sizeof draft, "%s.draft", path);
  FILE *file = fopen(draft, "w");
  need(file != NULL, draft);
  fprintf(file, "%d\n", port);
  need(fclose(file) == 0 && rename(draft, path) == 0, path);
}

static void say(int client, const char *text) {
  ssize_t ignored = write(client, text, strlen(text));
  (void)ignored;
}

static void drip(int client) {
  struct pollfd gone = {.fd = client, .events = POLLRDHUP};
  while (write(client, "H", 1) == 1 && poll(&gone, 1, 100) == 0) {
  }
}

static void answer(int client, const char *mode) {
  char request[1024];
  ssize_t size = read(client, request, sizeof request - 1);
  request[size < 0 ? 0 : size] = '\0';
  if (strcmp(mode, "ok") == 0) {
    say(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  } else if (strcmp(mode, "bad") == 0) {
    int asks_live = strncmp(request, "GET /healthz ", 13) == 0;
    say(client, "HTTP/1.1 503 Service Unavailable\r\n\r\n");
    say(client, asks_live ? "no inventory for 90 s" : "caches: not synced\nNVML: \033[31mhung");
  } else if (strcmp(mode, "garbage") == 0) {
    say(client, "SSH-2.0-OpenSSH\r\n\r\n");
  } else if (strcmp(mode, "slow") == 0) {
    drip(client);
  }
}

int main(int argc, char **argv) {
  need(argc == 3, "usage: serve PORT-FILE MODE");
  signal(SIGPIPE, SIG_IGN);
  int port;
  int listener = listen_anywhere(&port);
  publish(argv[1], port);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    need(client >= 0, "accept");
    answer(client, argv[2]);
    // A silent server keeps the connection: the probe's own deadline has to end it.
    if (strcmp(argv[2], "silent") != 0) {
      close(client);
    }
  }
}
