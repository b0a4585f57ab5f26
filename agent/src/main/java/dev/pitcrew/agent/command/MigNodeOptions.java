package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.agent.mig.change.GpuAccess;
import dev.pitcrew.agent.mig.change.OwnAccess;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which GPUs the commands on MIG are about.
final class MigNodeOptions {
  @Mixin NodeOptions node = new NodeOptions();

  @Option(
      names = "--driver-root",
      paramLabel = "<folder>",
      defaultValue = "${env:DRIVER_ROOT:-/}",
      description = "The driver root on the host (DRIVER_ROOT; default: /).")
  String driverRoot = "/";

  @Option(
      names = "--call-seconds",
      paramLabel = "<seconds>",
      defaultValue = "60",
      description = "How long one call into the driver may take (default: ${DEFAULT-VALUE}).")
  int callSeconds = 60;

  GpuAccess access() {
    return access(new NvmlUse());
  }

  private GpuAccess access(NvmlUse use) {
    var places = node.places(new DriverRoots(driverRoot, driverRoot, ""));
    return new OwnAccess(
        places.gpuSettings().withDeadline(Duration.ofSeconds(callSeconds)).withUse(use));
  }

  /// How the GPUs are divided now.
  Answer<List<MigGpu>> read() {
    return read(new NvmlUse());
  }

  /// As [#read()], in a process that has NVML open for others too.
  Answer<List<MigGpu>> read(NvmlUse use) {
    try (GpuAccess access = access(use)) {
      return access.gpus().flatMap(gpus -> gpus.readAll());
    }
  }
}
