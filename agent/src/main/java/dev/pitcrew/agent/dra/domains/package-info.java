/// Claims for ComputeDomains: the driver `compute-domain.nvidia.com`, which gives containers IMEX
/// channels, and IMEX daemons what they need.
@NullMarked
package dev.pitcrew.agent.dra.domains;

import org.jspecify.annotations.NullMarked;
