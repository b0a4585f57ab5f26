/// The kubelet's device plugins: one server and one registration for each resource that the node
/// can allocate. What is offered comes in as an immutable list of offers; nothing here asks the
/// hardware.
@NullMarked
package dev.pitcrew.agent.plugin;

import org.jspecify.annotations.NullMarked;
