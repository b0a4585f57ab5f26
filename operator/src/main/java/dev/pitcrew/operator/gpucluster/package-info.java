/// What a GPUCluster comes to: a plan of objects, and what its status says of them.
@NullMarked
package dev.pitcrew.operator.gpucluster;

import org.jspecify.annotations.NullMarked;
