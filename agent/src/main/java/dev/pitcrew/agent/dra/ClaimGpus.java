package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.dra.claims.ClaimPlaces;
import dev.pitcrew.agent.dra.claims.MigPartitions;
import dev.pitcrew.agent.dra.claims.NvidiaSmi;
import dev.pitcrew.agent.dra.claims.PartitionStep;
import dev.pitcrew.agent.dra.claims.PassthroughStep;
import dev.pitcrew.agent.dra.claims.VfioPassthrough;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.host.DriverProgram;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.pci.PassthroughGpus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// The GPUs as claims divide them, wherever the driver is at the moment.
final class ClaimGpus {
  /// Creating an instance takes longer than reading one.
  private static final Duration FOR_A_CALL = Duration.ofSeconds(10);

  private static final String PERSISTENCE = "/run/nvidia-persistenced/socket";

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

  /// @param needsDriver as above
  /// @param announce called when the claims are no longer those of the last call
  PassthroughStep machines(Consumer<Boolean> needsDriver, Runnable announce) {
    HostRoot host = context.host();
    return new VfioPassthrough(
        new VfioDevices(host, host, HostShell.of(host)),
        PassthroughGpus.of(host),
        new DriverTurn(driver, needsDriver),
        this::persistence,
        announce);
  }

  /// Only where the daemon runs, which keeps the GPU open while its persistence mode is on.
  private Optional<String> persistence(String gpu, boolean isOn) {
    return context.host().exists(PERSISTENCE)
        ? smi().persistence(gpu, isOn).problem()
        : Optional.empty();
  }

  NvidiaSmi smi() {
    return new NvidiaSmi(() ->
        DriverProgram.command(
            DriverPaths.finder(context, driverFolder).now().files(), "nvidia-smi"));
  }

  private GpuSettings settings() {
    return DriverPaths.of(context, driverFolder)
        .gpuSettings()
        .withUse(driver.use())
        .withDeadline(FOR_A_CALL);
  }
}
