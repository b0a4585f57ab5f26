/// The `nvidia.com/…` labels that describe a node's GPUs: a pure function of the inventory, a few
/// facts of the machine and the configuration. The rules are those of GPU feature discovery.
@NullMarked
package dev.pitcrew.agent.labels.plan;

import org.jspecify.annotations.NullMarked;
