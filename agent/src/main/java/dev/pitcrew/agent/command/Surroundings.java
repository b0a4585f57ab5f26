package dev.pitcrew.agent.command;

import dev.pitcrew.hardware.nvml.NvmlUse;
import java.time.InstantSource;
import java.util.Map;

/// What commands get from the process that runs them.
///
/// @param environment the variables
/// @param use counts who has NVML open
public record Surroundings(
    NodeReader reader,
    Map<String, String> environment,
    InstantSource clock,
    StopSignal stop,
    ReloadSignal reload,
    NvmlUse use) {
  public Surroundings(
      NodeReader reader, Map<String, String> environment, InstantSource clock, StopSignal stop) {
    this(reader, environment, clock, stop, new ReloadSignal());
  }

  public Surroundings(
      NodeReader reader,
      Map<String, String> environment,
      InstantSource clock,
      StopSignal stop,
      ReloadSignal reload) {
    this(reader, environment, clock, stop, reload, new NvmlUse());
  }

  public Surroundings {
    environment = Map.copyOf(environment);
  }
}
