package dev.pitcrew.agent.command;

import java.time.InstantSource;
import java.util.Map;

/// What commands get from the process that runs them.
///
/// @param environment the variables
public record Surroundings(
    NodeReader reader,
    Map<String, String> environment,
    InstantSource clock,
    StopSignal stop,
    ReloadSignal reload) {
  public Surroundings(
      NodeReader reader, Map<String, String> environment, InstantSource clock, StopSignal stop) {
    this(reader, environment, clock, stop, new ReloadSignal());
  }

  public Surroundings {
    environment = Map.copyOf(environment);
  }
}
