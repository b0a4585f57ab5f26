/// The facts of a cluster: everything that a GPU operator manages, reduced to what has a meaning
/// for users and for running pods.
///
/// Owns which kinds count, which objects are background, and how each kind is normalised, so that
/// two operators that mean the same leave the same facts. [ClusterObjects] is what was read,
/// [ClusterFacts] turns it into facts as a pure function, [FactsRecorder] joins the two.
///
/// Never changes anything in a cluster and knows nothing of scenarios or of expected facts.
@NullMarked
package dev.pitcrew.testbed.scenario.facts;

import org.jspecify.annotations.NullMarked;
