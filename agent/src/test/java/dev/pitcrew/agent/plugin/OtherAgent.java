package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// A second process that offers one GPU in the same folder, until it is killed.
record OtherAgent(Path folder) {

  Process start() throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-cp",
            System.getProperty("java.class.path"),
            OtherAgent.class.getName(),
            folder.toString())
        .inheritIO()
        .start();
  }

  public static void main(String[] arguments) throws Exception {
    try (DevicePlugins plugins = new DevicePlugins(Path.of(arguments[0]))) {
      plugins.publish(
          Offer.of(
              Allocatable.from(Nodes.withGpus(1), MigStrategy.NONE, Sharing.NONE, Health.ALL_WELL),
              Topology.UNKNOWN,
              PluginSettings.DEFAULT));
      new CountDownLatch(1).await();
    }
  }
}
