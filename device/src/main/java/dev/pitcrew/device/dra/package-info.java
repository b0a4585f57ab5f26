/// The devices of a node as Dynamic Resource Allocation knows them: what the ResourceSlices of the
/// drivers `gpu.nvidia.com` and `compute-domain.nvidia.com` list and what claims are allocated.
@NullMarked
package dev.pitcrew.device.dra;

import org.jspecify.annotations.NullMarked;
