// What a loaded driver shows below /proc/driver.
#ifndef PITCREW_FAKEDRIVER_PROC_H
#define PITCREW_FAKEDRIVER_PROC_H

void proc_write(const char *root, const char *version);
void proc_remove(const char *root);

#endif
