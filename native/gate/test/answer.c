// Stands in for the agent that carries out commands: `answer SOCKET REQUEST-FILE MODE`, until it is killed. It keeps each
// request with a line a word. done: an answer; large: one of a MiB; declines: leaves it to the gate; silent: says nothing;
// dies: after it received the request; breaks: in the middle of an answer; too-large: announces 4 GiB; garbage: no protocol.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LARGE = 1024 * 1024 };

static void need(int holds, const char *what) {
  if (!holds) {
    perror(what);
    exit(1);
  }
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s.draft", path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  need(listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0, path);
  // Renamed into place, so that who sees the file is let in.
  need(listen(listener, 16) == 0 && rename(address.sun_path, path) == 0, "listen");
  return listener;
}

static int ends(const char *request, size_t length) {
  return length > 1 && request[length - 1] == '\0' && request[length - 2] == '\0';
}

static void keep_request(int client, const char *path) {
  char request[16 * 1024];
  size_t length = 0;
  while (!ends(request, length)) {
    ssize_t count = read(client, request + length, sizeof request - length);
    need(count > 0, "request");
    length += (size_t)count;
  }
  FILE *file = fopen(path, "w");
  need(file != NULL, path);
  for (const char *word = request; *word != '\0'; word += strlen(word) + 1) {
    fprintf(file, "%s\n", word);
  }
  need(fclose(file) == 0, path);
}

static void say(int client, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = write(client, bytes, size);
    if (count <= 0) {
      return;
    }
    bytes += count;
    size -= (size_t)count;
  }
}

static void answer(int client, const char *mode) {
  static char large[LARGE];
  if (strcmp(mode, "done") == 0) {
    say(client, "ra\3\0\0\0\6\0\0\0\4warns\none\n", 21);
  } else if (strcmp(mode, "large") == 0) {
    memset(large, 'x', sizeof large);
    say(client, "ra\0\0\0\0\0\0\20\0\0", 11);
    say(client, large, sizeof large);
  } else if (strcmp(mode, "declines") == 0) {
    say(client, "rd\0\0\0\0\0\0\0\0\0", 11);
  } else if (strcmp(mode, "dies") == 0) {
    say(client, "r", 1);
  } else if (strcmp(mode, "breaks") == 0) {
    say(client, "ra\0\0\0\0\6\0\0\0\4warns\no", 18);
  } else if (strcmp(mode, "too-large") == 0) {
    say(client, "ra\0\0\0\0\0\377\377\377\377", 11);
  } else if (strcmp(mode, "garbage") == 0) {
    say(client, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
  }
}

int main(int argc, char **argv) {
  need(argc == 4, "usage: answer SOCKET REQUEST-FILE MODE");
  signal(SIGPIPE, SIG_IGN);
  int listener = listen_at(argv[1]);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    need(client >= 0, "accept");
    keep_request(client, argv[2]);
    answer(client, argv[3]);
    // A silent one keeps the connection: the gate's own deadline has to end it.
    if (strcmp(argv[3], "silent") != 0) {
      close(client);
    }
  }
}
