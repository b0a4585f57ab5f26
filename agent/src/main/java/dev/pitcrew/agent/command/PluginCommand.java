package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.agent.mps.ControlProbe;
import dev.pitcrew.agent.mps.ControlProgram;
import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.KubeletPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
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
  private static final Duration DAEMON_TIMEOUT = Duration.ofSeconds(5);
  private static final String SOCKETS = "device-plugins";

  private final Surroundings surroundings;

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
    var config = load();
    return config.isPresent() ? serve(config.get()) : PitcrewCommand.FAILED;
  }

  private Optional<AgentConfig> load() {
    var loader = new ConfigLoader(Program.PLUGIN, surroundings.environment());
    return loader.load(spec.commandLine().getParseResult(), spec.commandLine().getErr());
  }

  private int serve(AgentConfig config) throws IOException, InterruptedException {
    var session = new PluginSession(config, spec.commandLine().getErr());
    var places = node.places(() -> session.config().roots());
    Thread.ofVirtual().name("until-stopped").start(() -> endWhenStopped(session));
    surroundings.reload().whenRaised(session::reload);
    try (var plugins = new DevicePlugins(kubelet(config), () -> {});
        var events = new DaemonEvents(session::daemonsChanged);
        var _ =
            NodeWatch.start(
                new NodeWatch.Basis(places.gpuSettings(), policy(), Optional.empty()),
                surroundings.clock(),
                session::seen)) {
      var offerPlaces = new OfferPlaces(places.host(), places.driver(), cdiFolder);
      return session.run(
          this::load,
          next -> {
            events.follow(next);
            return new NodeOffer(next, offerPlaces, plugins, plan -> probe(places).down(plan));
          });
    }
  }

  /// The driver may come later than this program.
  private ControlProbe probe(NodePlaces places) {
    String path = surroundings.environment().getOrDefault("PATH", "");
    return new ControlProbe(
        ControlProgram.find(path, places.driver().now().files()), DAEMON_TIMEOUT);
  }

  private void endWhenStopped(PluginSession session) {
    try {
      surroundings.stop().passes(Optional.empty());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    session.stop();
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

  private KubeletPlace kubelet(AgentConfig config) {
    var named = KubeletPlace.ofSocket(config.plugin().kubeletSocket());
    if (kubeletFolder.isEmpty()) {
      return named;
    }
    Path inner = Path.of(kubeletFolder, SOCKETS);
    return named.movedTo(Files.isDirectory(inner) ? inner : Path.of(kubeletFolder));
  }
}
