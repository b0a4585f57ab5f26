#define _GNU_SOURCE
#include "gpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { NVIDIA = 0x10de, VGA = 0x0300, THREE_D = 0x0302, ACCELERATOR = 0x12, PATH_BYTES = 4096 };

bool gpu_is_gpu(const char *vendor, const char *class) {
  unsigned long number = strtoul(class, NULL, 16);
  bool is_class = number >> 8 == VGA || number >> 8 == THREE_D || number >> 16 == ACCELERATOR;
  return is_class && strtoul(vendor, NULL, 16) == NVIDIA;
}

static bool read_attribute(const char *bus, const char *device, const char *name, char value[16]) {
  char path[PATH_BYTES];
  int length = snprintf(path, sizeof path, "%s/%s/%s", bus, device, name);
  return length < (int)sizeof path && read_text(path, value, 16);
}

static bool is_gpu(const char *bus, const char *device) {
  char vendor[16];
  char class[16];
  return device[0] != '.' && read_attribute(bus, device, "vendor", vendor) &&
         read_attribute(bus, device, "class", class) && gpu_is_gpu(vendor, class);
}

// One buffer of entries. Reads them without opendir, whose allocation is the largest thing that a
// waiting gate would do.
static bool find_in(const char *bus, const char *entries, ssize_t size,
                    char address[PCI_ADDRESS_BYTES]) {
  for (ssize_t at = 0; at < size;) {
    const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
    if (is_gpu(bus, entry->d_name)) {
      snprintf(address, PCI_ADDRESS_BYTES, "%.*s", PCI_ADDRESS_BYTES - 1, entry->d_name);
      return true;
    }
    at += entry->d_reclen;
  }
  return false;
}

static bool find(const char *bus, int folder, char address[PCI_ADDRESS_BYTES]) {
  _Alignas(struct dirent64) char entries[4096];
  ssize_t size;
  while ((size = getdents64(folder, entries, sizeof entries)) > 0) {
    if (find_in(bus, entries, size, address)) {
      return true;
    }
  }
  return false;
}

// A machine shows its buses also where it has no PCI; a host root that is wrong or not mounted shows none.
static bool is_machine_without_pci(const char *host_root) {
  int cause = errno;
  char buses[PATH_BYTES];
  int length = snprintf(buses, sizeof buses, "%s/sys/bus", host_root);
  return cause == ENOENT && length < (int)sizeof buses && access(buses, F_OK) == 0;
}

bool gpu_is_present(const char *host_root, char address[PCI_ADDRESS_BYTES]) {
  char bus[PATH_BYTES];
  int length = snprintf(bus, sizeof bus, "%s/sys/bus/pci/devices", host_root);
  int folder = length < (int)sizeof bus ? open(bus, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder < 0) {
    snprintf(address, PCI_ADDRESS_BYTES, "unknown");
    return !is_machine_without_pci(host_root);
  }
  bool found = find(bus, folder, address);
  close(folder);
  return found;
}
