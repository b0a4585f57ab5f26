package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.nri.plan.ContainerFacts;

/// What is asked while the runtime creates a container. The runtime waits for the answer, and ends
/// the connection of who lets it wait.
@FunctionalInterface
public interface ContainerHook {
  DeviceChoice creating(ContainerFacts container);
}
