// The simulated nvidia-cuda-mps-control: the daemon ("-d", or "-f" in the foreground), its server, and the front end,
// which hands the daemon the lines of its standard input. It takes only what the real one takes.
//
// "R580" below is what a real one of driver 580.159.04 on an H200 was seen to do. The language between front end and
// daemon is our own, and so are the commands "sim-client PID" (that process becomes a client), "sim-die" and "sim-hang".
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// R580 listens 10 ms after its start, and its socket is there before: bind(2) comes before listen(2). How long that takes
// on a node that is busy is an assumption. 48 clients: NVIDIA's guide to MPS, for Volta and later.
enum { TEXT = 1024, ANSWER = 16 * 1024, SLOW_START_US = 150 * 1000, GPUS = 32, CLIENTS = 48, LOOK_US = 20 * 1000 };

extern char **environ;

static const char *pipes, *logs;
static char *program;
static bool is_background;
static double threads = 100;
static long limits_mib[GPUS];
static pid_t server, clients[CLIENTS];

static _Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

// NVIDIA's guide to MPS: control.log and server.log are in $CUDA_MPS_LOG_DIRECTORY. In the foreground R580 makes neither
// of them: daemon and server write the same lines to the standard output that the daemon was given.
static void note(const char *who, const char *format, ...) {
  char path[TEXT], now[32];
  struct timespec time;
  struct tm local;
  snprintf(path, sizeof path, "%s/%s.log", logs, strcmp(who, "Control") == 0 ? "control" : "server");
  FILE *file = is_background ? fopen(path, "ae") : stdout;
  if (file == NULL) return;
  clock_gettime(CLOCK_REALTIME, &time);
  strftime(now, sizeof now, "%F %T", localtime_r(&time.tv_sec, &local));
  fprintf(file, "[%s.%03ld %s %5d] ", now, time.tv_nsec / 1000000, who, getpid());
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fflush(file);
  if (is_background) fclose(file);
}

// What else is in the environment would reach every client's server. CUDA_VISIBLE_DEVICES: with it NVIDIA's DRA driver
// starts the daemon of a claim (its UUIDs are those of the claim).
static void check_environment(void) {
  pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");
  logs = getenv("CUDA_MPS_LOG_DIRECTORY");
  if (pipes == NULL || logs == NULL) fail("CUDA_MPS_PIPE_DIRECTORY and CUDA_MPS_LOG_DIRECTORY are not set");
  for (char **variable = environ; *variable != NULL; variable++)
    if (strncmp(*variable, "CUDA_MPS_", 9) != 0 && strncmp(*variable, "CUDA_VISIBLE_DEVICES=", 21) != 0) fail("unexpected in the environment: %s", *variable);
}

static struct sockaddr_un address(const char *name) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  if (snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", pipes, name) >= (int)sizeof at.sun_path) fail("%s: too long", pipes);
  return at;
}

// In MiB; 0 for what is no limit.
static long limit_mib(const char *text) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  if (!isdigit((unsigned char)*text) || value > 1024 * 1024) return 0;
  return strcmp(end, "M") == 0 ? (long)value : strcmp(end, "G") == 0 ? (long)value * 1024 : 0;
}

// By its number among the GPUs that the daemon sees, or by its UUID, as NVIDIA's DRA driver names those of a claim. That
// a UUID counts only where CUDA_VISIBLE_DEVICES has it is an assumption.
static int gpu_number(const char *text) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (isdigit((unsigned char)*text)) return *end == '\0' && value < GPUS ? (int)value : -1;
  for (int number = 0; visible != NULL && number < GPUS; number++) {
    size_t length = strcspn(visible, ",");
    if (strlen(text) == length && strncmp(visible, text, length) == 0) return number;
    visible = visible[length] == ',' ? visible + length + 1 : NULL;
  }
  return -1;
}

static bool lives(pid_t process) { return process > 0 && kill(process, 0) == 0; }

static void forget_the_dead(void) {
  if (server > 0 && waitpid(server, NULL, WNOHANG) == server) server = 0;
  for (int i = 0; i < CLIENTS; i++)
    if (!lives(clients[i])) clients[i] = 0;
}

static bool has_clients(void) {
  forget_the_dead();
  for (int i = 0; i < CLIENTS; i++)
    if (clients[i] != 0) return true;
  return false;
}

// The kernel cuts the name of nvidia-cuda-mps-server as that of its parent, so the command line distinguishes them. It
// outlives a daemon that is killed (R580).
static void start_server(void) {
  server = fork();
  if (server != 0) return;
  close_range(STDERR_FILENO + 1, ~0U, 0);
  setsid();
  signal(SIGTERM, SIG_DFL);
  char *name = strrchr(program, '/') == NULL ? program : strrchr(program, '/') + 1;
  memset(name, '\0', strlen("nvidia-cuda-mps-control -f"));
  memcpy(name, "nvidia-cuda-mps-server", strlen("nvidia-cuda-mps-server"));
  note("Control", "Starting new server %d for user %d", getpid(), (int)getuid());
  note("Server", "Server has started");
  for (;;) pause();
}

// R580: the first client starts the server; without one there is none.
static bool add_client(pid_t client) {
  forget_the_dead();
  for (int i = 0; i < CLIENTS && lives(client); i++) {
    if (clients[i] != 0) continue;
    clients[i] = client;
    note("Control", "NEW CLIENT %d from user %d: %s", client, (int)getuid(),
         server == 0 ? "Server is not ready, push client to pending list" : "Server already exists");
    if (server == 0) start_server();
    return true;
  }
  return false;
}

// R580: its next call fails with error 810, which ends a program that checks for errors; here at once.
static void terminate(pid_t client) {
  for (int i = 0; i < CLIENTS; i++) {
    if (client <= 0 || clients[i] != client) continue;
    kill(client, SIGTERM);
    clients[i] = 0;
  }
}

static void list_clients(char *reply, bool is_table) {
  static const char HEAD[] = "%-9s %-9s %-14s %-25s %-14s %-15s\n", ROW[] = "%-9d %-9d %-14d %-25s %-14s %-15s\n";
  int length = is_table ? snprintf(reply, ANSWER, HEAD, "PID", "ID", "SERVER", "DEVICE", "NAMESPACE", "COMMAND") : 0;
  forget_the_dead();
  for (int i = 0, id = 1; i < CLIENTS; i++) {
    if (clients[i] == 0) continue;
    length += snprintf(reply + length, (size_t)(ANSWER - length), is_table ? ROW : "%d\n", clients[i], id++, server,
                       "GPU-00000000-0000-0000", "4026531836", "client");
  }
}

// R580: "4G" for 4096M, "26G" for 27306M, and nothing where there is no limit. What it says of less than a GiB is an
// assumption.
static void reply_limit(long mib, char *reply) {
  if (mib > 0) snprintf(reply, ANSWER, mib >= 1024 ? "%ldG\n" : "%ldM\n", mib >= 1024 ? mib / 1024 : mib);
}

// R580 says nothing to a limit of memory, also to one that it does not take; more than 100 % are 100 %. What it says of
// a GPU that is not there, and to other numbers, is an assumption.
static void answer(const char *line, char *reply) {
  char kind[64] = "", first[64] = "", second[64] = "", rest[64] = "";
  int words = sscanf(line, "%63s %63s %63s %63s", kind, first, second, rest);
  int gpu = gpu_number(first);
  forget_the_dead();
  if (strcmp(kind, "get_default_active_thread_percentage") == 0 && words == 1) {
    snprintf(reply, ANSWER, "%.1f\n", threads);
  } else if (strcmp(kind, "set_default_active_thread_percentage") == 0 && words == 2) {
    if (atof(first) > 0) threads = atof(first) < 100 ? atof(first) : 100;
    snprintf(reply, ANSWER, "%.1f\n", threads);
  } else if (strcmp(kind, "set_default_device_pinned_mem_limit") == 0 && words == 3) {
    if (gpu >= 0 && limit_mib(second) > 0) {
      limits_mib[gpu] = limit_mib(second);
      note("Control", "%s.", line);
    }
  } else if (strcmp(kind, "get_default_device_pinned_mem_limit") == 0 && words == 2) {
    reply_limit(gpu >= 0 ? limits_mib[gpu] : 0, reply);
  } else if (strcmp(kind, "get_server_list") == 0 && words == 1) {
    if (server != 0) snprintf(reply, ANSWER, "%d\n", server);
  } else if (strcmp(kind, "get_client_list") == 0 && words == 2 && server != 0 && atoi(first) == server) {
    list_clients(reply, false);
  } else if (strcmp(kind, "terminate_client") == 0 && words == 3 && server != 0 && atoi(first) == server) {
    terminate(atoi(second));
    snprintf(reply, ANSWER, "0\n");
  } else if (strcmp(kind, "ps") == 0 && words == 1) {
    list_clients(reply, true);
  } else if (strcmp(kind, "sim-client") != 0 || words != 2 || !add_client(atoi(first))) {
    snprintf(reply, ANSWER, "Unknown command \"%s\"\n", kind);
  }
}

// NVIDIA's guide to MPS: the daemon takes no new clients and waits until those that it has are done. Then it ends with
// status 0 (R580). What it leaves in its folder was not seen: here it is everything.
static _Noreturn void quit(void) {
  if (server != 0) note("Control", "Try shutting down server %d, backoff is disabled", server);
  while (has_clients()) usleep(LOOK_US);
  if (server > 0 && kill(server, SIGTERM) == 0) waitpid(server, NULL, 0);
  note("Control", "Exit with status 0");
  exit(0);
}

static void serve_one(int front_end) {
  char line[TEXT] = "", reply[ANSWER] = "";
  ssize_t length = read(front_end, line, sizeof line - 1);
  if (length <= 0) return;
  line[strcspn(line, "\n")] = '\0';
  note("Control", "Accepting connection...");
  note("Control", "NEW UI");
  note("Control", "Cmd:%s", line);
  if (strcmp(line, "sim-die") == 0) raise(SIGKILL);
  if (strcmp(line, "sim-hang") == 0) pause();
  if (strcmp(line, "quit") == 0) quit();
  answer(line, reply);
  for (const char *at = reply; *at != '\0'; at = strchr(at, '\n') + 1) note("Control", "%.*s", (int)strcspn(at, "\n"), at);
  if (write(front_end, reply, strlen(reply)) < 0) note("Control", "the front end has closed the connection");
  note("Control", "UI closed");
}

static int bind_at(const char *name, mode_t mode) {
  struct sockaddr_un at = address(name);
  int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (channel < 0 || bind(channel, (struct sockaddr *)&at, sizeof at) != 0 || chmod(at.sun_path, mode) != 0)
    fail("An instance of this daemon is already running, or %s: %s", at.sun_path, strerror(errno));
  return channel;
}

static int make_file(const char *name, const char *text) {
  int file = open(address(name).sun_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail("%s: %s", name, strerror(errno));
  return file;
}

// All that R580 has in its folder, with these modes; the pid has no newline. Assumption: what another daemon left there
// is in the way.
static int make_channels(void) {
  char pid[16];
  snprintf(pid, sizeof pid, "%d", getpid());
  mode_t mask = umask(0);
  int lock = make_file("control_lock", "");
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) fail("An instance of this daemon is already running");
  close(make_file("nvidia-cuda-mps-control.pid", pid));
  if (mkfifo(address("log").sun_path, 0777) != 0) fail("log: %s", strerror(errno));
  int listener = bind_at("control", 0666);
  bind_at("control_privileged", 0755);
  umask(mask);
  return listener;
}

static _Noreturn void serve(int ready) {
  struct stat status;
  if (stat(logs, &status) != 0 || !S_ISDIR(status.st_mode)) fail("%s: no such folder", logs);
  note("Control", "Starting control daemon using socket %s", address("control").sun_path);
  int listener = make_channels();
  usleep(SLOW_START_US);
  if (listen(listener, 16) != 0) fail("listen: %s", strerror(errno));
  if (ready >= 0 && write(ready, "1", 1) == 1) close(ready);
  for (;;) {
    int front_end = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (front_end < 0) continue;
    serve_one(front_end);
    close(front_end);
  }
}

static void send_line(const char *line) {
  struct sockaddr_un at = address("control");
  char reply[ANSWER] = "";
  int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (channel < 0 || connect(channel, (struct sockaddr *)&at, sizeof at) != 0) fail("Cannot find MPS control daemon process");
  if (write(channel, line, strlen(line)) < 0) fail("the daemon has gone");
  size_t length = 0;
  ssize_t count;
  while ((count = read(channel, reply + length, sizeof reply - 1 - length)) > 0) length += (size_t)count;
  close(channel);
  fputs(reply, stdout);
}

// R580 ends with status 0 also where the daemon does not take a line.
static int front_end(void) {
  char line[TEXT];
  while (fgets(line, sizeof line, stdin) != NULL)
    if (*line != '\n') send_line(line);
  return 0;
}

// The manual page of nvidia-cuda-mps-control(1): the parent ends when the daemon in the background listens.
static int start_in_background(void) {
  char ignored;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe: %s", strerror(errno));
  if (fork() == 0) serve(ends[1]);
  close(ends[1]);
  return read(ends[0], &ignored, 1) == 1 ? 0 : 1;
}

int main(int count, char **arguments) {
  check_environment();
  if (count == 1) return front_end();
  program = arguments[0];
  is_background = strcmp(arguments[1], "-d") == 0;
  bool is_multi_user = count == 3 && strcmp(arguments[2], "-M") == 0; // as NVIDIA's DRA driver starts it for multiUser
  if (count != 2 + is_multi_user || (!is_background && strcmp(arguments[1], "-f") != 0))
    fail("usage: nvidia-cuda-mps-control [-d | -f] [-M]");
  if (is_background) return start_in_background();
  serve(-1);
}
