/// The controller of ComputeDomains, in place of NVIDIA's: it makes the objects of each domain,
/// reports its nodes and takes everything away with it.
@NullMarked
package dev.pitcrew.operator.runtime.domains;

import org.jspecify.annotations.NullMarked;
