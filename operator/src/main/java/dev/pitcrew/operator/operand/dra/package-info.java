/// What a GPUCluster brings: NVIDIA's driver for dynamic resource allocation, DCGM, its exporter
/// and a validator, which get their GPUs by ResourceClaims.
@NullMarked
package dev.pitcrew.operator.operand.dra;

import org.jspecify.annotations.NullMarked;
