/// Plays one scenario on a running control plane: input, nodes, operator, custom resources, then
/// its steps, recording the facts whenever the cluster has come to rest.
///
/// Owns what a scenario folder means, how an empty cluster is made and left, what stands in for
/// kubelets, and when a cluster counts as settled. Never judges facts: that is the package
/// `compare`.
@NullMarked
package dev.pitcrew.testbed.scenario.play;

import org.jspecify.annotations.NullMarked;
