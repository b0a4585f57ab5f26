/// GPUCluster (`nvidia.com/v1alpha1`): GPUs through dynamic resource allocation.
///
/// Absent sections mean something else here than in a ClusterPolicy: exporter and DCGM are off.
@NullMarked
package dev.pitcrew.api.gpucluster;

import org.jspecify.annotations.NullMarked;
