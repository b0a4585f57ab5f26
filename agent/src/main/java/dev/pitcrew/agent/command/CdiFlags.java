package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The flags of `nvidia-ctk cdi generate`, under its names.
final class CdiFlags {
  @Option(
      names = {"--mode", "--discovery-mode"},
      paramLabel = "<mode>",
      defaultValue = "auto",
      description =
          "Which devices: auto, nvml, management, gds, mofed, gdrcopy, nvswitch or imex (default: ${DEFAULT-VALUE}).")
  String mode = "auto";

  @Option(
      names = {"--driver-root", "--nvidia-driver-root"},
      paramLabel = "<folder>",
      defaultValue = "${env:NVIDIA_CTK_DRIVER_ROOT:-/}",
      description =
          "Where the driver's files are on the host (NVIDIA_CTK_DRIVER_ROOT; default: /).")
  String driverRoot = "/";

  @Option(
      names = "--dev-root",
      paramLabel = "<folder>",
      defaultValue = "${env:NVIDIA_CTK_DEV_ROOT:-}",
      description =
          "Where the device nodes are on the host (NVIDIA_CTK_DEV_ROOT; default: the driver root).")
  String devRoot = "";

  @Option(
      names = "--driver-root-ctr-path",
      paramLabel = "<folder>",
      defaultValue = "",
      description =
          "Where the driver root is mounted for this program (default: below --host-root).")
  String driverInContainer = "";

  @Option(
      names = "--device-name-strategy",
      split = ",",
      paramLabel = "<strategy>",
      defaultValue = "index,uuid",
      description =
          "How devices are named: index, uuid, type-index; several are allowed (default: ${DEFAULT-VALUE}).")
  List<String> namings = List.of("index", "uuid");

  @Option(
      names = "--vendor",
      paramLabel = "<name>",
      defaultValue = "nvidia.com",
      description = "The vendor part of the kind (default: ${DEFAULT-VALUE}).")
  String vendor = "nvidia.com";

  @Option(names = "--no-all-device", description = "Leave out the device 'all'.")
  boolean isWithoutAll;

  @Option(
      names = {"--nvidia-cdi-hook-path", "--nvidia-ctk-path"},
      paramLabel = "<file>",
      defaultValue = "/usr/bin/nvidia-cdi-hook",
      description = "The hook program on the host (default: ${DEFAULT-VALUE}).")
  String hookPath = "/usr/bin/nvidia-cdi-hook";

  @Option(
      names = "--disable-hook",
      split = ",",
      paramLabel = "<hook>",
      description = "Hooks to leave out; 'all' leaves out each.")
  List<String> disabledHooks = List.of();

  @Option(
      names = "--enable-hook",
      split = ",",
      paramLabel = "<hook>",
      description = "Hooks to have in any case.")
  List<String> enabledHooks = List.of();

  @Option(
      names = "--feature-flag",
      split = ",",
      paramLabel = "<flag>",
      description = "Features to switch on.")
  List<String> features = List.of();

  @Option(
      names = "--imex-channel",
      split = ",",
      paramLabel = "<number>",
      description = "Channels, with --mode imex.")
  List<Integer> imexChannels = List.of();

  @Option(
      names = {"-o", "--format"},
      paramLabel = "<yaml|json>",
      defaultValue = "yaml",
      description = "The form of the output (default: ${DEFAULT-VALUE}).")
  String format = "yaml";

  @Option(
      names = "--output",
      paramLabel = "<file>",
      defaultValue = "",
      description = "The file to write, replaced as a whole (default: standard output).")
  String output = "";

  @Option(
      names = "--oneshot",
      arity = "0..1",
      fallbackValue = "true",
      hidden = true,
      description = "This command always ends after one round.")
  boolean isOneshot;

  Optional<CdiDocument> document() {
    return switch (format.toLowerCase(Locale.ROOT)) {
      case "yaml" -> Optional.of(CdiDocument.YAML);
      case "json" -> Optional.of(CdiDocument.JSON);
      default -> Optional.empty();
    };
  }

  DriverRoots roots() {
    return new DriverRoots(driverRoot, devRoot.isEmpty() ? driverRoot : devRoot, driverInContainer);
  }
}
