/// NVIDIADriver (`nvidia.com/v1alpha1`): the driver of one pool of nodes.
///
/// Which pool a node belongs to, and what happens when two claim it, is the operator's business.
@NullMarked
package dev.pitcrew.api.nvidiadriver;

import org.jspecify.annotations.NullMarked;
