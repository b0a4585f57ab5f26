// The modules of a simulated kernel: a tree of files as /sys/module is one, below a host root.
#ifndef PITCREW_FAKEDRIVER_MODULES_H
#define PITCREW_FAKEDRIVER_MODULES_H

#include <stdbool.h>

// How often a module is used, by its holders and by others; -1 where it is not loaded.
int module_references(const char *root, const char *name);
// Loads a module that is not in use yet, as a user of another one (null: of none).
void module_load(const char *root, const char *name, const char *used);
// Removes a module and releases those that it used. False where it is in use.
bool module_unload(const char *root, const char *name);
// Adds to a count, as files that are opened (1) and closed (-1).
void module_use(const char *root, const char *name, int change);
// Whether the driver's own script would unload: nothing but its modules uses any of them.
bool driver_is_idle(const char *root);

#endif
