/// The GPUs of one node: NVML and the few Linux calls through `java.lang.foreign`, PCI, NUMA and
/// the driver's files, all under one host root.
@NullMarked
package dev.pitcrew.hardware;

import org.jspecify.annotations.NullMarked;
