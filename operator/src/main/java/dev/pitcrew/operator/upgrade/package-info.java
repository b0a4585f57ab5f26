/// How a new driver reaches the nodes: a state machine per node (specification: NVIDIA's driver
/// upgrade controller), the budget that they share, and the order of canary and waves.
///
/// Pure: [UpgradePlan] is a function of what was observed. It owns which step a node takes next and
/// in which words it waits. It never talks to the API server, evicts or deletes: `operator.runtime`
/// observes, and carries out what a plan says.
@NullMarked
package dev.pitcrew.operator.upgrade;

import org.jspecify.annotations.NullMarked;
