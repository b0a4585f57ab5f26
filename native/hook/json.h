// A reader of JSON texts for the two values that the hook needs.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Copies the text at a path of object keys, such as {"root", "path"}, to `value`.
// False where the JSON is broken, the path leads nowhere or to no text, or the text does not fit.
bool json_text(const char *json, const char *const path[], size_t keys, char *value, size_t size);
