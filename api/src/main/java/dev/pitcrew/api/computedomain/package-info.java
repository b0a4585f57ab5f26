/// ComputeDomain and ComputeDomainClique (`resource.nvidia.com/v1beta1`).
///
/// The DRA driver owns what they do; the project ships their schemas and reads them.
@NullMarked
package dev.pitcrew.api.computedomain;

import org.jspecify.annotations.NullMarked;
