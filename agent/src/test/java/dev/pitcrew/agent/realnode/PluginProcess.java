package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.controlplane.Deadline;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.GpuHardware;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// `pitcrew plugin` as a process of the node.
final class PluginProcess implements GpuSource {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String REGISTERED = "registered with the kubelet";

  private final JvmOnNode jvm;
  private final AtomicReference<Optional<GuardedProcess>> process =
      new AtomicReference<>(Optional.empty());

  PluginProcess(JvmOnNode jvm) {
    this.jvm = jvm;
  }

  @Override
  public NodeSpec on(NodeSpec spec) {
    return jvm.on(spec);
  }

  @Override
  public void start(RealCluster cluster, Wanted wanted) {
    var environment = new HashMap<>(wanted.environment());
    environment.put("CONFIG_FILE", configFile(wanted).toString());
    var started =
        jvm.start(
            cluster.nodes().all().getFirst(),
            "pitcrew-plugin",
            JvmOnNode.Surroundings.of(environment),
            List.of(
                "plugin",
                "--host-root=" + GpuHardware.HOST_ROOT,
                "--driver-root=/run/nvidia/driver",
                "--nvidia-cdi-hook-path=" + JvmOnNode.HOOK));
    process.set(Optional.of(started));
    awaitRegistered(started);
  }

  /// Returns when the kubelet knows the GPUs.
  static void awaitRegistered(GuardedProcess started) {
    Deadline.in(LIMIT).await(started, () -> started.logTail().contains(REGISTERED));
  }

  private Path configFile(Wanted wanted) {
    try {
      return Files.writeString(jvm.folder().resolve("config.yaml"), wanted.configFile());
    } catch (IOException e) {
      throw new UncheckedIOException("write the configuration to " + jvm.folder(), e);
    }
  }

  @Override
  public void kill() {
    process.getAndSet(Optional.empty()).ifPresent(GuardedProcess::stop);
  }

  @Override
  public String lastOutput() {
    return process.get().map(GuardedProcess::logTail).orElse("it does not run");
  }
}
