// Reading small files without surprises.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Reads the whole file as text with a NUL at its end. False with errno set; EFBIG when it does not fit.
bool read_text(const char *path, char *text, size_t size);
