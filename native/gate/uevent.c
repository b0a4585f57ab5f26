#define _GNU_SOURCE
#include "uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KERNEL_GROUP = 1, EVENT_BYTES = 4096 };

int uevent_open(void) {
  int events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
  if (events >= 0 && bind(events, (struct sockaddr *)&address, sizeof address) != 0) {
    int reason = errno;
    close(events);
    errno = reason;
    return -1;
  }
  return events;
}

// `action@path`, then `KEY=value` texts, each ended by NUL. Removals are of no interest to who waits.
static bool is_pci(const char *event, size_t size) {
  static const char SUBSYSTEM[] = "SUBSYSTEM=pci";
  return memmem(event, size, SUBSYSTEM, sizeof SUBSYSTEM) != NULL && strncmp(event, "remove@", 7) != 0;
}

bool uevent_is_pci(int socket) {
  char event[EVENT_BYTES + 1];
  bool found = false;
  for (;;) {
    ssize_t size = recv(socket, event, EVENT_BYTES, 0);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      // The queue overflowed: the event that matters may be among those lost.
      return found || errno == ENOBUFS;
    }
    event[size] = '\0';
    found = is_pci(event, (size_t)size + 1) || found;
  }
}
