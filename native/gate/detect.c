#define _GNU_SOURCE
#include "detect.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "exits.h"
#include "gpu.h"
#include "log.h"
#include "uevent.h"
#include "watch.h"

static void say(const char *level, const char *message, const char *address) {
  struct log_line line;
  log_start(&line, level, message);
  if (address != NULL) {
    log_text(&line, "address", address);
  }
  log_end(&line);
}

// The report is for people: that the container ended with 0 is what counts.
static void write_report(const char *report, const char *address) {
  char text[PCI_ADDRESS_BYTES + 32];
  int length = snprintf(text, sizeof text, "NVIDIA GPU at %s\n", address);
  int file = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || write(file, text, (size_t)length) != length) {
    log_failure("the report cannot be written", report);
  }
  if (file >= 0) {
    close(file);
  }
}

int detect_gpu(const char *root, const char *report, int64_t scan_ms) {
  struct watch watch;
  char address[PCI_ADDRESS_BYTES];
  if (!watch_start(&watch)) {
    return EXIT_SYSTEM;
  }
  // Listens before the first look, so that no device falls between the two.
  watch.events = uevent_open();
  if (watch.events < 0) {
    log_failure("no uevents: a GPU is found by the scan only", "detect-gpu");
  }
  bool is_said = false;
  while (!gpu_is_present(root, address)) {
    if (!is_said) {
      say("info", "no NVIDIA GPU on this node: waiting for one", NULL);
      is_said = true;
    }
    watch_await(&watch, clock_now_ms() + scan_ms);
    if (watch.stop != 0) {
      return 128 + watch.stop;
    }
  }
  if (strcmp(address, "unknown") == 0) {
    say("error", "the PCI bus of this machine cannot be read", NULL);
    return EXIT_SYSTEM;
  }
  say("info", "an NVIDIA GPU is there", address);
  write_report(report, address);
  return 0;
}
