/// The contract between operator and agent: GPUNode (`pitcrew.dev/v1alpha1`).
///
/// The agent writes everything but `status.rollout`, `status.eviction` and `status.driverRefusal`,
/// which are the operator's. To write a part by server-side apply, leave the parts that are not
/// yours absent.
@NullMarked
package dev.pitcrew.api.node;

import org.jspecify.annotations.NullMarked;
