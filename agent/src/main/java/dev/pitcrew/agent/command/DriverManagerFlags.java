package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.SleepInterval;
import dev.pitcrew.agent.driver.DriverPlaces;
import dev.pitcrew.agent.driver.Limits;
import dev.pitcrew.agent.driver.ModuleUnloader;
import dev.pitcrew.agent.driver.NetworkDrivers;
import dev.pitcrew.agent.driver.PreparationOptions;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.core.text.GoText;
import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The flags of NVIDIA's driver manager, under its names, and where a simulated node is.
final class DriverManagerFlags {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  @Option(
      names = "--node-name",
      defaultValue = "${env:NODE_NAME:-}",
      description = "The Node to prepare (NODE_NAME).")
  String nodeName = "";

  @Option(
      names = "--operator-namespace",
      defaultValue = "${env:OPERATOR_NAMESPACE:-gpu-operator}",
      description = "Where the operator's pods are (OPERATOR_NAMESPACE).")
  String operatorNamespace = "";

  @Option(
      names = "--drain-timeout-seconds",
      defaultValue = "${env:DRAIN_TIMEOUT_SECONDS:-0s}",
      description =
          "How long to wait for pods that hold a GPU, as 90s or 5m; 0 is 5m (DRAIN_TIMEOUT_SECONDS).")
  String drainTimeout = "";

  @Option(
      names = "--node-label-for-gpu-pod-eviction",
      defaultValue = "${env:NODE_LABEL_FOR_GPU_POD_EVICTION:-}",
      description =
          "The label of an operand of your own, to be paused too (NODE_LABEL_FOR_GPU_POD_EVICTION).")
  String ownLabel = "";

  @Option(
      names = "--gpu-direct-rdma-enabled",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "${env:GPU_DIRECT_RDMA_ENABLED:-false}",
      description = "Wait for network drivers (GPU_DIRECT_RDMA_ENABLED).")
  String rdma = "";

  @Option(
      names = "--use-host-mofed",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "${env:USE_HOST_MOFED:-false}",
      description = "The host brings the network drivers (USE_HOST_MOFED).")
  String hostMofed = "";

  @Option(
      names = "--force-reinstall",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "${env:FORCE_REINSTALL:-false}",
      description = "Reload the driver even if it is the same one (FORCE_REINSTALL).")
  String forceReinstall = "";

  @Option(
      names = "--kubeconfig",
      defaultValue = "${env:KUBECONFIG:-}",
      hidden = true,
      description = "Not supported: the pod's own account is used.")
  String kubeconfig = "";

  // Evictions are the operator's, so that these say nothing here.
  @Option(
      names = {
        "--drain-use-force",
        "--drain-pod-selector-label",
        "--drain-delete-emptydir-data",
        "--enable-auto-drain",
        "--enable-gpu-pod-eviction"
      },
      arity = "0..1",
      hidden = true,
      description = "Accepted and not looked at: only the operator evicts pods.")
  List<String> evictions = List.of();

  // Not HOST_ROOT: in a driver's pod that is hostPaths.rootFS, a folder of the host.
  @Option(
      names = "--host-root",
      defaultValue = "/host",
      description = "Where / of the host is mounted (default: /host).")
  Path hostRoot = Path.of("/host");

  @Option(
      names = "--root",
      defaultValue = "/",
      hidden = true,
      description = "Where /sys, /proc and /run of a simulated node are.")
  Path root = Path.of("/");

  @Option(
      names = "--module-unloader",
      defaultValue = "${env:MODULE_UNLOADER:-}",
      hidden = true,
      description =
          "The command, words apart by blanks, that unloads a module of a simulated node (MODULE_UNLOADER).")
  String unloader = "";

  @Option(
      names = "--termination-log",
      defaultValue = "/dev/termination-log",
      hidden = true,
      description = "The file that the kubelet gives each container for its last words.")
  Path lastOutput = Path.of("/dev/termination-log");

  @Option(names = "--server", defaultValue = "", hidden = true, description = "The API server.")
  String server = "";

  @Option(
      names = "--service-account",
      defaultValue = "",
      hidden = true,
      description = "The folder with the account's files.")
  String serviceAccount = "";

  /// What is wrong with them.
  Optional<String> problem() {
    if (nodeName.isEmpty()) {
      return Optional.of("--node-name (NODE_NAME) is missing");
    }
    if (!kubeconfig.isEmpty()) {
      return Optional.of(
          "--kubeconfig (KUBECONFIG) is '%s': only the pod's own account is used; leave it empty"
              .formatted(kubeconfig));
    }
    return timeout().isPresent()
        ? Optional.empty()
        : Optional.of(
            "--drain-timeout-seconds (DRAIN_TIMEOUT_SECONDS) is '%s': give a duration such as 90s"
                .formatted(drainTimeout));
  }

  /// @throws java.util.NoSuchElementException if there is a [#problem]
  PreparationOptions options(Map<String, String> environment) {
    var host = new HostRoot(hostRoot);
    var asked =
        new Observed.Asked(
            environment.getOrDefault("DRIVER_CONFIG_DIGEST", "").strip(),
            isTrue(forceReinstall),
            new OperandLabels(label()));
    return new PreparationOptions(
        nodeName,
        operatorNamespace,
        asked,
        new NetworkDrivers(isTrue(rdma), isTrue(hostMofed)),
        new DriverPlaces(new HostRoot(root), host),
        unloader.isEmpty() ? ModuleUnloader.OF_KERNEL : ModuleUnloader.byCommand(unloader),
        HostShell.of(host),
        Limits.withHolders(timeout().orElseThrow()));
  }

  private static boolean isTrue(String value) {
    return GoText.bool(value).orElse(false);
  }

  /// An older manager took `key=value`.
  private Optional<String> label() {
    return Optional.of(ownLabel.split("=", -1)[0]).filter(key -> !key.isEmpty());
  }

  private Optional<Duration> timeout() {
    if (drainTimeout.matches("0[a-z]*|")) {
      return Optional.of(DEFAULT_TIMEOUT);
    }
    return SleepInterval.parse(drainTimeout)
        .flatMap(it ->
            it instanceof SleepInterval.Every(var given) ? Optional.of(given) : Optional.empty())
        .filter(Duration::isPositive);
  }
}
