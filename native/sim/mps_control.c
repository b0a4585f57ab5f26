// The simulated nvidia-cuda-mps-control: the daemon ("-d", or "-f" in the foreground) with a server as its child, and
// the front end, which hands it the lines of its standard input. It takes only what the real one takes, and writes what
// it was told to control.log. "sim-die" and "sim-hang" are faults of our own.
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Any server's socket is there before it listens; how long before, on a node that is busy, is an assumption.
enum { TEXT = 1024, SLOW_START_US = 150 * 1000 };

extern char **environ;

static const char *pipes, *logs;
static double threads = 100;
static pid_t server;

static _Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void note(const char *text) {
  char path[TEXT];
  snprintf(path, sizeof path, "%s/control.log", logs);
  FILE *file = fopen(path, "ae");
  if (file == NULL) return;
  fprintf(file, "%s\n", text);
  fclose(file);
}

// What else is in the environment would reach every client's server.
static void check_environment(void) {
  pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");
  logs = getenv("CUDA_MPS_LOG_DIRECTORY");
  if (pipes == NULL || logs == NULL) fail("CUDA_MPS_PIPE_DIRECTORY and CUDA_MPS_LOG_DIRECTORY are not set");
  for (char **variable = environ; *variable != NULL; variable++)
    if (strncmp(*variable, "CUDA_MPS_", 9) != 0) fail("unexpected in the environment: %s", *variable);
}

static struct sockaddr_un address(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  if (snprintf(at.sun_path, sizeof at.sun_path, "%s/control", pipes) >= (int)sizeof at.sun_path) fail("%s: too long", pipes);
  return at;
}

static bool is_limit(const char *text) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && value > 0 && (strcmp(end, "M") == 0 || strcmp(end, "G") == 0);
}

static void answer(char *line, char *reply) {
  char kind[64] = "", first[64] = "", second[64] = "", rest[64] = "";
  int words = sscanf(line, "%63s %63s %63s %63s", kind, first, second, rest);
  if (strcmp(kind, "get_default_active_thread_percentage") == 0 && words == 1) {
    snprintf(reply, TEXT, "%.1f", threads);
  } else if (strcmp(kind, "set_default_active_thread_percentage") == 0 && words == 2 && atof(first) > 0 && atof(first) <= 100) {
    threads = atof(first);
    snprintf(reply, TEXT, "%.1f", threads);
  } else if (strcmp(kind, "set_default_device_pinned_mem_limit") == 0 && words == 3 && isdigit((unsigned char)*first) && is_limit(second)) {
    *reply = '\0';
  } else {
    snprintf(reply, TEXT, "error: invalid command: %.200s", line);
  }
}

static void end_server(void) {
  if (server > 0 && kill(server, SIGKILL) == 0) waitpid(server, NULL, 0);
}

static void serve_one(int client) {
  char line[TEXT] = "", reply[TEXT] = "";
  ssize_t length = read(client, line, sizeof line - 1);
  if (length <= 0) return;
  line[strcspn(line, "\n")] = '\0';
  note(line);
  if (strcmp(line, "sim-die") == 0) raise(SIGKILL);
  if (strcmp(line, "sim-hang") == 0) pause();
  if (strcmp(line, "quit") == 0) {
    end_server();
    unlink(address().sun_path);
    exit(0);
  }
  answer(line, reply);
  if (write(client, reply, strlen(reply)) < 0) note("nobody waits for the answer");
}

static int listen_here(void) {
  struct sockaddr_un at = address();
  struct stat status;
  if (stat(logs, &status) != 0 || !S_ISDIR(status.st_mode)) fail("%s: no such folder", logs);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool is_bound = listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0;
  usleep(SLOW_START_US);
  if (!is_bound || listen(listener, 16) != 0)
    fail("An instance of this daemon is already running, or %s: %s", at.sun_path, strerror(errno));
  return listener;
}

// It outlives a daemon that is killed, as the real one may.
static void start_server(void) {
  server = fork();
  if (server != 0) return;
  setsid();
  prctl(PR_SET_NAME, "mps-server");
  for (;;) pause();
}

static _Noreturn void serve(int listener) {
  start_server();
  note("started");
  for (;;) {
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) continue;
    serve_one(client);
    close(client);
  }
}

static int send_line(const char *line) {
  struct sockaddr_un at = address();
  char reply[TEXT] = "";
  int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (channel < 0 || connect(channel, (struct sockaddr *)&at, sizeof at) != 0) fail("Cannot find MPS control daemon process");
  if (write(channel, line, strlen(line)) < 0) fail("the daemon has gone");
  size_t length = 0;
  ssize_t count;
  while ((count = read(channel, reply + length, sizeof reply - 1 - length)) > 0) length += (size_t)count;
  close(channel);
  if (length > 0) puts(reply);
  return strncmp(reply, "error", 5) == 0 ? 1 : 0;
}

static int front_end(void) {
  char line[TEXT];
  int code = 0;
  while (fgets(line, sizeof line, stdin) != NULL)
    if (*line != '\n') code |= send_line(line);
  return code;
}

int main(int count, char **arguments) {
  check_environment();
  if (count == 1) return front_end();
  bool background = strcmp(arguments[1], "-d") == 0;
  if (count != 2 || (!background && strcmp(arguments[1], "-f") != 0)) fail("usage: nvidia-cuda-mps-control [-d | -f]");
  int listener = listen_here();
  if (background && fork() != 0) return 0;
  serve(listener);
}
