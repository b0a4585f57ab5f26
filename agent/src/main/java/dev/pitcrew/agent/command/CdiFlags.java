package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/// The flags and variables of `nvidia-ctk cdi generate`, under its names.
final class CdiFlags {
  /// The variables of nvidia-ctk, by flag (NVIDIA/nvidia-container-toolkit, `cdi generate --help`).
  private static final Map<String, String> VARIABLES =
      Map.ofEntries(
          Map.entry("--mode", "NVIDIA_CTK_CDI_GENERATE_MODE"),
          Map.entry("--driver-root", "NVIDIA_CTK_DRIVER_ROOT"),
          Map.entry("--dev-root", "NVIDIA_CTK_DEV_ROOT"),
          Map.entry("--device-name-strategy", "NVIDIA_CTK_CDI_GENERATE_DEVICE_NAME_STRATEGIES"),
          Map.entry("--device-id", "NVIDIA_CTK_CDI_GENERATE_DEVICE_IDS"),
          Map.entry("--vendor", "NVIDIA_CTK_CDI_GENERATE_VENDOR"),
          Map.entry("--class", "NVIDIA_CTK_CDI_GENERATE_CLASS"),
          Map.entry("--no-all-device", "NVIDIA_CTK_CDI_GENERATE_NO_ALL_DEVICE"),
          Map.entry("--nvidia-cdi-hook-path", "NVIDIA_CTK_CDI_HOOK_PATH"),
          Map.entry("--disable-hook", "NVIDIA_CTK_CDI_GENERATE_DISABLED_HOOKS"),
          Map.entry("--enable-hook", "NVIDIA_CTK_CDI_GENERATE_ENABLED_HOOKS"),
          Map.entry("--feature-flag", "NVIDIA_CTK_CDI_GENERATE_FEATURE_FLAGS"),
          Map.entry("--format", "NVIDIA_CTK_CDI_GENERATE_OUTPUT_FORMAT"),
          Map.entry("--output", "NVIDIA_CTK_CDI_OUTPUT_FILE_PATH"),
          Map.entry("--library-search-path", "NVIDIA_CTK_CDI_GENERATE_LIBRARY_SEARCH_PATHS"),
          Map.entry("--config-search-path", "NVIDIA_CTK_CDI_GENERATE_CONFIG_SEARCH_PATHS"),
          Map.entry("--ldconfig-path", "NVIDIA_CTK_CDI_GENERATE_LDCONFIG_PATH"),
          Map.entry("--csv.file", "NVIDIA_CTK_CDI_GENERATE_CSV_FILES"));

  private static final String BELOW_ROOT = "files are looked for below --driver-root";

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
      defaultValue = "/",
      description =
          "Where the driver's files are on the host (NVIDIA_CTK_DRIVER_ROOT; default: /).")
  String driverRoot = "/";

  @Option(
      names = "--dev-root",
      paramLabel = "<folder>",
      defaultValue = "",
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
      names = {"--vendor", "--cdi-vendor"},
      paramLabel = "<name>",
      defaultValue = "nvidia.com",
      description = "The vendor part of the kind (default: ${DEFAULT-VALUE}).")
  String vendor = "nvidia.com";

  @Option(
      names = {"--class", "--cdi-class"},
      paramLabel = "<name>",
      defaultValue = "",
      description = "The class part of the kind (default: gpu, or that of the mode).")
  String deviceClass = "";

  @Option(
      names = {"--device-id", "--device-ids", "--device", "--devices"},
      split = ",",
      paramLabel = "<device>",
      defaultValue = "all",
      description =
          "The devices, by index, UUID or <GPU>:<MIG device>; all, or none for a device without a GPU (default: ${DEFAULT-VALUE}).")
  List<String> deviceIds = List.of("all");

  @Option(
      names = "--no-all-device",
      arity = "0..1",
      fallbackValue = "true",
      description = "Leave out the device 'all'.")
  boolean isWithoutAll;

  @Option(
      names = {"--nvidia-cdi-hook-path", "--nvidia-ctk-path"},
      paramLabel = "<file>",
      defaultValue = "/usr/bin/nvidia-cdi-hook",
      description = "The hook program on the host (default: ${DEFAULT-VALUE}).")
  String hookPath = "/usr/bin/nvidia-cdi-hook";

  @Option(
      names = {"--disable-hook", "--disable-hooks"},
      split = ",",
      paramLabel = "<hook>",
      description = "Hooks to leave out; 'all' leaves out each.")
  List<String> disabledHooks = List.of();

  @Option(
      names = {"--enable-hook", "--enable-hooks"},
      split = ",",
      paramLabel = "<hook>",
      description = "Hooks to have in any case.")
  List<String> enabledHooks = List.of();

  @Option(
      names = {"--feature-flag", "--feature-flags"},
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
      defaultValue = "",
      description = "The form of the output (default: that of the file's extension, else yaml).")
  String format = "";

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

  @Option(names = "--library-search-path", hidden = true, paramLabel = "<path>")
  List<String> librarySearchPaths = List.of();

  @Option(names = "--config-search-path", hidden = true, paramLabel = "<path>")
  List<String> configSearchPaths = List.of();

  @Option(names = "--ldconfig-path", hidden = true, paramLabel = "<path>")
  List<String> ldconfigPaths = List.of();

  @Option(names = "--csv.file", hidden = true, paramLabel = "<path>")
  List<String> csvFiles = List.of();

  /// Why these flags cannot be honoured; empty if they can.
  Optional<String> refusal() {
    return Stream.of(
            unsupported("--library-search-path", librarySearchPaths, BELOW_ROOT),
            unsupported("--config-search-path", configSearchPaths, BELOW_ROOT),
            unsupported("--ldconfig-path", ldconfigPaths, "the hook program looks for ldconfig"),
            unsupported("--csv.file", csvFiles, "there is no mode for Tegra"))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> unsupported(String flag, List<String> values, String why) {
    return Optional.of(values)
        .filter(given -> !given.isEmpty())
        .map(given ->
            "%s (%s) is '%s': leave it out; %s"
                .formatted(flag, VARIABLES.get(flag), String.join(",", given), why));
  }

  /// What the variables say where no flag is given; empty ones say nothing.
  static CommandLine.IDefaultValueProvider variables(Map<String, String> environment) {
    return argument ->
        argument instanceof OptionSpec option
            ? Arrays.stream(option.names())
                .map(name -> environment.getOrDefault(VARIABLES.getOrDefault(name, ""), ""))
                .filter(value -> !value.isEmpty())
                .findFirst()
                .orElse(null)
            : null;
  }

  /// The form that is wanted; empty if it is none.
  Optional<CdiDocument> document() {
    return format.isEmpty()
        ? ofExtension().or(() -> Optional.of(CdiDocument.YAML))
        : ofName(format.toLowerCase(Locale.ROOT));
  }

  /// What the name of the file promises.
  Optional<CdiDocument> ofExtension() {
    return ofName(output.substring(output.lastIndexOf('.') + 1));
  }

  private static Optional<CdiDocument> ofName(String name) {
    return switch (name) {
      case "yaml", "yml" -> Optional.of(CdiDocument.YAML);
      case "json" -> Optional.of(CdiDocument.JSON);
      default -> Optional.empty();
    };
  }

  DriverRoots roots() {
    return new DriverRoots(driverRoot, devRoot.isEmpty() ? driverRoot : devRoot, driverInContainer);
  }
}
