// The note in NVIDIA's compatibility libraries that says for which drivers they are.
#pragma once
#include <stdbool.h>

// Whether the library has a note `.note.cuda.fwd_compatibility`; `*supports` is then whether it names the branch (the
// first number of a driver's version). What cannot be read counts as no note.
bool compat_note(int library, unsigned long branch, bool *supports);
