// One GET on loopback, with a deadline.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HTTP_TEXT_BYTES = 512 };

// True for an answer of 200. Otherwise `text` says in a few words what went wrong.
bool http_is_ok(int port, const char *path, int64_t deadline, char text[HTTP_TEXT_BYTES]);
