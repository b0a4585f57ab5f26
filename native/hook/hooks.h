// What can be done in a container. Each takes the words after its name and answers the exit status.
#pragma once

// How long a hook may take; the runtime waits for it before it starts the container.
enum { LIMIT_SECONDS = 30 };

int create_symlinks(char *const words[]);
int change_modes(char *const words[]);
int update_ldcache(char *const words[]);
int enable_cuda_compat(char *const words[]);
int disable_device_node_modification(char *const words[]);

// The folder of the image that enable-cuda-compat preferred; NULL where it preferred none.
const char *preferred_folder(int root);
