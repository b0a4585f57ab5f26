/// How a Pitcrew process talks to Kubernetes: the name of an object lives here; the concerns are
/// the subpackages `client` (one connection), `cache` (reads), `apply` (writes), `queue` (when to
/// reconcile), `event`, `condition` and `lease`.
///
/// Nothing in this module knows what a GPU, a policy or an operand is.
@NullMarked
package dev.pitcrew.kube;

import org.jspecify.annotations.NullMarked;
