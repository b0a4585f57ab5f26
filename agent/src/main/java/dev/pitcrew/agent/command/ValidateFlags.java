package dev.pitcrew.agent.command;

import dev.pitcrew.agent.validation.Component;
import dev.pitcrew.agent.validation.plan.Wanted;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The flags and variables of NVIDIA's operator validator that mean something without a cluster,
/// under its names.
final class ValidateFlags {
  @Option(
      names = {"--component", "-c"},
      paramLabel = "<name>",
      defaultValue = "${env:COMPONENT:-}",
      description =
          "Look at this part only: driver, toolkit, cdi, cuda, plugin, nvidia-peermem, mofed, nvidia-fs, gdrcopy (default: all that are wanted; variable: COMPONENT).")
  String component = "";

  @Option(
      names = {"--with-wait", "-w"},
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "<true|false>",
      defaultValue = "${env:WITH_WAIT:-false}",
      description = "Look again and again until it works (variable: WITH_WAIT).")
  boolean waits;

  @Option(
      names = {"--sleep-interval-seconds", "-s"},
      paramLabel = "<seconds>",
      defaultValue = "${env:SLEEP_INTERVAL_SECONDS:-5}",
      description =
          "How long to wait before looking again (default: 5; variable: SLEEP_INTERVAL_SECONDS).")
  int intervalSeconds = 5;

  @Option(
      names = "--driver-install-dir",
      paramLabel = "<folder>",
      defaultValue = "${env:DRIVER_INSTALL_DIR:-/run/nvidia/driver}",
      description =
          "Where driver containers put the driver on the host (default: /run/nvidia/driver; variable: DRIVER_INSTALL_DIR).")
  String driverFolder = "/run/nvidia/driver";

  @Option(
      names = "--output-dir",
      paramLabel = "<folder>",
      defaultValue = "${env:OUTPUT_DIR:-}",
      description =
          "Takes the status files, such as driver-ready (default: none are written; variable: OUTPUT_DIR).")
  String statusFolder = "";

  @Option(
      names = "--cdi-dir",
      paramLabel = "<folder>",
      defaultValue = "",
      description = "Has the CDI specifications (default: /var/run/cdi below --host-root).")
  String cdiFolder = "";

  @Option(
      names = "--runtime-class",
      paramLabel = "<name>",
      defaultValue = "${env:VALIDATOR_RUNTIME_CLASS:-nvidia}",
      description =
          "The container runtime's handler for GPUs (default: nvidia; variable: VALIDATOR_RUNTIME_CLASS).")
  String handler = "nvidia";

  @Option(
      names = "--rdma",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "<true|false>",
      defaultValue = "${env:GPU_DIRECT_RDMA_ENABLED:-false}",
      description = "GPUDirect RDMA is wanted (variable: GPU_DIRECT_RDMA_ENABLED).")
  boolean rdma;

  @Option(
      names = "--use-host-mofed",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "<true|false>",
      defaultValue = "${env:USE_HOST_MOFED:-false}",
      description = "The network driver is the host's own (variable: USE_HOST_MOFED).")
  boolean hostMofed;

  @Option(
      names = "--gds",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "<true|false>",
      defaultValue = "${env:GDS_ENABLED:-false}",
      description = "GPUDirect Storage is wanted (variable: GDS_ENABLED).")
  boolean gds;

  @Option(
      names = "--gdrcopy",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "<true|false>",
      defaultValue = "${env:GDRCOPY_ENABLED:-false}",
      description = "GDRCopy is wanted (variable: GDRCOPY_ENABLED).")
  boolean gdrcopy;

  /// What cannot be asked, in one line.
  Optional<String> refusal() {
    if (!component.isEmpty() && Component.of(component).isEmpty()) {
      return Optional.of(
          "--component is '%s': give one of those that --help lists".formatted(component));
    }
    return Optional.of(
            "--sleep-interval-seconds is '%d': give 1 or more".formatted(intervalSeconds))
        .filter(_ -> intervalSeconds < 1);
  }

  Optional<Component> asked() {
    return Component.of(component);
  }

  Path cdiFolder(Path hostRoot) {
    return cdiFolder.isEmpty() ? hostRoot.resolve("var/run/cdi") : Path.of(cdiFolder);
  }

  /// A part that is asked for is wanted.
  Wanted wanted() {
    boolean isRdma = rdma || isAsked(Component.NVIDIA_PEERMEM) || isAsked(Component.MOFED);
    return new Wanted(
        handler,
        true,
        true,
        isRdma,
        hostMofed,
        gds || isAsked(Component.NVIDIA_FS),
        gdrcopy || isAsked(Component.GDRCOPY));
  }

  boolean isAsked(Component part) {
    return component.equals(part.text());
  }
}
