#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A line of time stamp, message and six fields of the longest kind stays below sizeof text.
const char *log_logger = "gate";

enum { LONGEST_VALUE = 256, LONGEST_ESCAPE = 6 };

static void put(struct log_line *line, const char *text) {
  size_t room = sizeof line->text - line->length - 1;
  size_t length = strnlen(text, room);
  memcpy(line->text + line->length, text, length);
  line->length += length;
}

static void put_character(struct log_line *line, unsigned char character) {
  char escaped[LONGEST_ESCAPE + 1] = {(char)character};
  if (character == '"' || character == '\\') {
    snprintf(escaped, sizeof escaped, "\\%c", character);
  } else if (character < 0x20) {
    snprintf(escaped, sizeof escaped, "\\u%04x", character);
  } else if (character >= 0x7f) {
    // Bytes of an argument or a path need not be UTF-8, a log line has to be.
    escaped[0] = '?';
  }
  put(line, escaped);
}

static void put_quoted(struct log_line *line, const char *value) {
  size_t end = line->length + LONGEST_VALUE;
  put(line, "\"");
  for (const char *next = value; *next != '\0' && line->length + LONGEST_ESCAPE < end; next++) {
    put_character(line, (unsigned char)*next);
  }
  put(line, "\"");
}

static void put_key(struct log_line *line, const char *key) {
  put(line, line->length == 0 ? "{" : ",");
  put_quoted(line, key);
  put(line, ":");
}

void log_text(struct log_line *line, const char *key, const char *value) {
  put_key(line, key);
  put_quoted(line, value);
}

void log_number(struct log_line *line, const char *key, long long value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lld", value);
  put_key(line, key);
  put(line, digits);
}

void log_start(struct log_line *line, const char *level, const char *message) {
  char stamp[32] = "";
  struct tm parts;
  time_t now = time(NULL);
  if (gmtime_r(&now, &parts) != NULL) {
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  line->length = 0;
  log_text(line, "level", level);
  log_text(line, "ts", stamp);
  log_text(line, "logger", log_logger);
  log_text(line, "msg", message);
}

void log_end(struct log_line *line) {
  put(line, "}");
  line->text[line->length++] = '\n';
  // A closed standard error cannot be reported anywhere.
  ssize_t ignored = write(STDERR_FILENO, line->text, line->length);
  (void)ignored;
}

void log_failure(const char *tried, const char *subject) {
  int reason = errno;
  struct log_line line;
  log_start(&line, "error", tried);
  log_text(&line, "subject", subject);
  log_text(&line, "error", strerror(reason));
  log_end(&line);
}
