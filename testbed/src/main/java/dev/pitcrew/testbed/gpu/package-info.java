/// A node with simulated GPUs as a folder: the host's files, a driver root with the simulated
/// libnvidia-ml, and a command for what happens to GPUs.
///
/// Everything above the library is real: who reads the node loads the library and reads the files
/// as on a server. It needs what `make -C native` builds.
@NullMarked
package dev.pitcrew.testbed.gpu;

import org.jspecify.annotations.NullMarked;
