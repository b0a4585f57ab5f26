// One JSON object a line on standard error, in the shape of the Java programs' log.
#pragma once

#include <stddef.h>

struct log_line {
  char text[2048];
  size_t length;
};

// Who speaks.
extern const char *log_logger;

// `level` is "info", "warn" or "error".
void log_start(struct log_line *line, const char *level, const char *message);
void log_text(struct log_line *line, const char *key, const char *value);
void log_number(struct log_line *line, const char *key, long long value);

// One write, so that lines of gate and JVM do not mix.
void log_end(struct log_line *line);

// An error with what was tried, on what, and the reason that the system gave (errno).
void log_failure(const char *tried, const char *subject);
