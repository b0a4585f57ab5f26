package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.WarmUpKubelet;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.nvml.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Offers the GPUs once to a fake kubelet, in a folder that no other program uses. The first offer
/// takes a JVM a second, during which the node would have no list of devices; the second takes
/// none. Only for a waiting agent: what it reads is discarded, and NVML is closed again, since the
/// active agent is responsible for the driver.
public final class WarmUp implements Controller<WarmUp.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final AgentContext context;
  private volatile boolean isOver;

  public WarmUp(AgentContext context) {
    this.context = context;
  }

  /// Whether nothing is left to rehearse, be it because nothing could be.
  public boolean isOver() {
    return isOver;
  }

  /// @param isPaused whether another client wants the driver for itself
  public record Input(Settings settings, boolean isPaused) {}

  @Override
  public Duration reconcile(Input input) throws InterruptedException {
    if (!isOver) {
      if (!input.isPaused()) {
        rehearse(input.settings());
      }
      isOver = true;
      LOG.atInfo().log("ready to take over");
    }
    return RESYNC;
  }

  private void rehearse(Settings settings) throws InterruptedException {
    Optional<AgentConfig> config =
        settings
            .plugin()
            .filter(_ -> settings.isOn(NodeFunction.DEVICE_PLUGIN))
            .map(InForce::config);
    Optional<NodeSnapshot> seen = config.flatMap(_ -> seen(settings.driverFolder()));
    if (seen.isEmpty()) {
      return;
    }
    try {
      offer(config.get(), settings.driverFolder(), seen.get());
    } catch (IOException e) {
      LOG.atInfo().log(
          "could not make ready to take over, which will take longer: {}", e.toString());
    }
  }

  private Optional<NodeSnapshot> seen(String driverFolder) {
    var settings = DriverPaths.of(context, driverFolder).gpuSettings();
    if (!(Gpus.open(settings, TIMEOUT, () -> {}) instanceof Answer.Value<Gpus>(var gpus))) {
      return Optional.empty();
    }
    try (gpus) {
      return gpus.inventory(TIMEOUT) instanceof Answer.Value<Inventory>(var inventory)
          ? Optional.of(
              new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE))
          : Optional.empty();
    }
  }

  private void offer(AgentConfig config, String driverFolder, NodeSnapshot snapshot)
      throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("pitcrew-rehearsal-");
    try (var kubelet = WarmUpKubelet.in(scratch);
        var plugins = new DevicePlugins(scratch)) {
      var real = OfferPlaces.of(context, driverFolder);
      var places = new OfferPlaces(real.host(), real.driver(), scratch.resolve("cdi"));
      new NodeOffer(config, places, plugins).offer(snapshot);
      kubelet.awaitList();
    } finally {
      delete(scratch);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
