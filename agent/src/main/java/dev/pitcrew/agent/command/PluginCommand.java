package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.StartRefusal;
import dev.pitcrew.device.sharing.Sharing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "plugin",
    sortOptions = false,
    description = {
      "Offers this node's GPUs to the kubelet, as the device plugin does, until it is stopped.",
      "GPUs, driver and kubelet may come and go meanwhile."
    })
final class PluginCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(PluginCommand.class);
  private static final Duration UNTIL_OFFERED_AGAIN = Duration.ofSeconds(30);
  private static final String SOCKETS = "device-plugins";

  private final Surroundings surroundings;
  private final BlockingQueue<Optional<NodeSnapshot>> news = new LinkedBlockingQueue<>();

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();

  @Option(
      names = "--kubelet-dir",
      paramLabel = "<folder>",
      defaultValue = "",
      description =
          "The kubelet's folder with device-plugins/ in it, or that folder itself"
              + " (default: the folder of --kubelet-socket).")
  String kubeletFolder = "";

  @Option(
      names = "--cdi-dir",
      paramLabel = "<folder>",
      defaultValue = "/var/run/cdi",
      description = "Takes the CDI specifications (default: ${DEFAULT-VALUE}).")
  Path cdiFolder = Path.of("/var/run/cdi");

  PluginCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var loader = new ConfigLoader(Program.PLUGIN, surroundings.environment());
    var config = loader.load(spec.commandLine().getParseResult(), spec.commandLine().getErr());
    return config.isPresent() ? serve(config.get()) : PitcrewCommand.FAILED;
  }

  private int serve(AgentConfig config) throws IOException, InterruptedException {
    var places = node.places(config.roots());
    var host = places.host();
    var driver = places.driver(config.roots());
    Thread.ofVirtual().name("until-stopped").start(this::endWhenStopped);
    try (var plugins = new DevicePlugins(pluginFolder(config));
        var _ =
            NodeWatch.start(
                places.gpuSettings(),
                policy(),
                surroundings.clock(),
                it -> news.add(Optional.of(it)))) {
      var offer = new NodeOffer(config, new OfferPlaces(host, driver, cdiFolder), plugins);
      return follow(config, offer);
    }
  }

  private int follow(AgentConfig config, NodeOffer offer) throws InterruptedException {
    Optional<NodeSnapshot> next = news.take();
    Optional<String> refusal =
        next.flatMap(first -> refusal(config, first)).or(() -> refusal(config, offer));
    if (refusal.isPresent()) {
      spec.commandLine().getErr().println(refusal.get());
      return PitcrewCommand.FAILED;
    }
    while (next.isPresent()) {
      NodeSnapshot now = next.get();
      carryOut(() -> offer.offer(now));
      next = following(now, offer);
    }
    return PitcrewCommand.DONE;
  }

  /// The next snapshot, or the end; until it comes the same is offered again now and then.
  private Optional<NodeSnapshot> following(NodeSnapshot now, NodeOffer offer)
      throws InterruptedException {
    Optional<Optional<NodeSnapshot>> next = Optional.empty();
    while (next.isEmpty()) {
      next = Optional.ofNullable(news.poll(UNTIL_OFFERED_AGAIN.toSeconds(), TimeUnit.SECONDS));
      if (next.isEmpty()) {
        carryOut(() -> offer.refresh(now));
      }
    }
    return newest(next.get());
  }

  /// One step that may not succeed; the next one has another chance.
  private static void carryOut(Step step) throws InterruptedException {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("the GPUs could not be offered, trying again");
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws InterruptedException;
  }

  /// The end, if it has come; else the last snapshot.
  private Optional<NodeSnapshot> newest(Optional<NodeSnapshot> taken) {
    Optional<NodeSnapshot> newest = taken;
    while (newest.isPresent() && !news.isEmpty()) {
      newest = news.remove();
    }
    return newest;
  }

  /// Why the device plugin would not start on what the first look showed.
  private static Optional<String> refusal(AgentConfig config, NodeSnapshot first) {
    return switch (first) {
      case NodeSnapshot.WithoutDriver(var reason, _) ->
          Optional.of(
                  "no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml")
              .filter(_ -> config.failOnInitError());
      case NodeSnapshot.WithDriver _ -> StartRefusal.of(NodeOffer.allocatable(config, first));
    };
  }

  private Optional<String> refusal(AgentConfig config, NodeOffer offer) {
    if (config.sharing().strategy() == Sharing.Strategy.MPS) {
      return Optional.of(
          "sharing.mps is not possible with this command yet; share by sharing.timeSlicing");
    }
    List<Integer> missing = offer.missingChannels();
    String message =
        "imex.channelIDs is %s: the node has no such device below /dev/nvidia-caps-imex-channels"
            .formatted(missing);
    boolean isRequired = config.plugin().imex().required();
    if (!missing.isEmpty() && !isRequired) {
      spec.commandLine().getErr().println("warning: " + message);
    }
    return Optional.of(message).filter(_ -> !missing.isEmpty() && isRequired);
  }

  private void endWhenStopped() {
    try {
      surroundings.stop().passes(Optional.empty());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    news.add(Optional.empty());
  }

  private XidPolicy policy() {
    Map<String, String> environment = surroundings.environment();
    var policy =
        XidPolicy.of(
            environment.getOrDefault("DP_DISABLE_HEALTHCHECKS", ""),
            environment.getOrDefault("DP_ENABLE_HEALTHCHECKS", ""));
    List<String> malformed = policy.malformed();
    if (!malformed.isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(
              "warning: ignored in the lists of health checks: " + String.join(", ", malformed));
    }
    return policy;
  }

  private Path pluginFolder(AgentConfig config) {
    if (kubeletFolder.isEmpty()) {
      return Path.of(config.plugin().kubeletSocket()).resolveSibling("");
    }
    Path inner = Path.of(kubeletFolder, SOCKETS);
    return Files.isDirectory(inner) ? inner : Path.of(kubeletFolder);
  }
}
