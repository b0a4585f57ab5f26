/// What the operator knows of a cluster when it plans: runtime, operating systems and kernels of
/// its GPU nodes, OpenShift, and which optional APIs and referenced ConfigMaps exist. Plain facts,
/// compared by value; gathering them is the runtime's work.
@NullMarked
package dev.pitcrew.operator.cluster;

import org.jspecify.annotations.NullMarked;
