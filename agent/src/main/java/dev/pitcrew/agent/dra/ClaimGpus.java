package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.dra.claims.ClaimPlaces;
import dev.pitcrew.agent.dra.claims.MigPartitions;
import dev.pitcrew.agent.dra.claims.PartitionStep;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.hardware.gpu.GpuSettings;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/// The GPUs as claims divide them, wherever the driver is at the moment.
final class ClaimGpus {
  /// Creating an instance takes longer than reading one.
  private static final Duration FOR_A_CALL = Duration.ofSeconds(10);

  private final AgentContext context;
  private final DriverController driver;
  private volatile String driverFolder = "";

  ClaimGpus(AgentContext context, DriverController driver) {
    this.context = context;
    this.driver = driver;
  }

  /// @param folder where driver containers put the driver on the host
  void driverIn(String folder) {
    driverFolder = folder;
  }

  /// @param needsDriver receives whether no other part of the agent may have NVML open
  /// @param announced receives the names of the partitions of claims
  PartitionStep partitions(
      ClaimPlaces places, Consumer<Boolean> needsDriver, Consumer<Set<String>> announced) {
    return new MigPartitions(
        this::settings,
        new DriverTurn(driver, needsDriver),
        places.plugin(),
        context.clock(),
        announced);
  }

  private GpuSettings settings() {
    return DriverPaths.of(context, driverFolder)
        .gpuSettings()
        .withUse(driver.use())
        .withDeadline(FOR_A_CALL);
  }
}
