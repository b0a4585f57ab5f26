// Programs of another root, such as the host's.
#pragma once

// `words` are the root, the program and its arguments. Becomes the program, or returns an exit code.
int in_root(char *const *words, int count);
