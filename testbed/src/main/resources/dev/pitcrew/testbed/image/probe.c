/* Prints what a container sees, one line each, and then stays until it is terminated:
 *   env NAME=VALUE
 *   uid-map FIRST OUTSIDE COUNT                    of its user namespace
 *   device PATH TYPE MAJOR:MINOR ok|ERROR|-        the outcome of opening it to read and write
 *   file PATH ok|ERROR                             for each argument
 *   api-server FIRST-LINE-OF-ITS-ANSWER|ERROR
 *   done
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *outcome(const char *path, int flags) {
  int file = open(path, flags | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return strerrorname_np(errno);
  close(file);
  return "ok";
}

/* Opening alone sets some devices going, such as watchdogs; only harmless ones are tried. */
static const char *trial(const char *path, const char *name) {
  return strncmp(name, "nvidia", 6) && strcmp(name, "null") ? "-" : outcome(path, O_RDWR);
}

static void device(const char *folder, const char *name) {
  char path[512];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (lstat(path, &status) || !(S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) return;
  printf("device %s %c %u:%u %s\n", path, S_ISCHR(status.st_mode) ? 'c' : 'b',
         major(status.st_rdev), minor(status.st_rdev), trial(path, name));
}

static void devices(const char *folder) {
  struct dirent **names;
  int count = scandir(folder, &names, NULL, alphasort);
  for (int i = 0; i < count; i++) device(folder, names[i]->d_name);
}

/* Plain HTTP on the port of HTTPS: Go's server answers it with 400, which proves the way. */
static const char *api_server(char *answer, size_t size) {
  const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
  struct sockaddr_in address = {.sin_family = AF_INET};
  if (!host || !port || inet_pton(AF_INET, host, &address.sin_addr) != 1) return "no-address";
  address.sin_port = htons(atoi(port));
  struct timeval patience = {.tv_sec = 10};
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(connection, (struct sockaddr *)&address, sizeof address))
    return strerrorname_np(errno);
  const char request[] = "GET /version HTTP/1.0\r\n\r\n";
  if (write(connection, request, sizeof request - 1) < 0) return strerrorname_np(errno);
  ssize_t length = read(connection, answer, size - 1);
  if (length < 0) return strerrorname_np(errno);
  answer[length] = 0;
  answer[strcspn(answer, "\r\n")] = 0;
  return answer;
}

static void uid_map(void) {
  unsigned int first, outside, count;
  FILE *map = fopen("/proc/self/uid_map", "r");
  while (map && fscanf(map, "%u %u %u", &first, &outside, &count) == 3)
    printf("uid-map %u %u %u\n", first, outside, count);
  if (map) fclose(map);
}

static void end(int signal) {
  (void)signal;
  _exit(0);
}

int main(int count, char **arguments, char **environment) {
  char answer[256];
  signal(SIGTERM, end);
  for (char **line = environment; *line; line++) printf("env %s\n", *line);
  uid_map();
  devices("/dev");
  devices("/dev/nvidia-caps");
  for (int i = 1; i < count; i++)
    printf("file %s %s\n", arguments[i], outcome(arguments[i], O_RDONLY));
  printf("api-server %s\n", api_server(answer, sizeof answer));
  puts("done");
  fflush(stdout);
  for (;;) pause();
}
