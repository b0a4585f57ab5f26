package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.Deadline;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// One node. Methods that start something return when it is ready, and fail with the end of the
/// node's logs. Not for several threads.
public final class RealNode {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration STEP_LIMIT = Duration.ofSeconds(20);

  private final String name;
  private final NodePlace place;
  private final NodeFolder folder;
  private final KubernetesClient client;
  private final WorkDirectory directory;
  private final Function<RealNode, NodeProcess> starter;
  private final AtomicReference<Optional<NodeProcess>> process =
      new AtomicReference<>(Optional.empty());
  private Instant reportsAfter = Instant.EPOCH;

  RealNode(
      NodePlace place,
      NodeFolder folder,
      ControlPlane controlPlane,
      Function<RealNode, NodeProcess> starter) {
    this.name = String.valueOf(folder.path().getFileName());
    this.place = place;
    this.folder = folder;
    this.client = controlPlane.client();
    this.directory = controlPlane.directory();
    this.starter = starter;
  }

  public String name() {
    return name;
  }

  /// The address that the kubelet reports and under which this machine reaches the node.
  public String address() {
    return place.address();
  }

  NodePlace place() {
    return place;
  }

  OptionalLong pid() {
    return process.get().stream().mapToLong(NodeProcess::pid).findFirst();
  }

  /// Whether the kubelet has reported Ready since its last start.
  public boolean isReady() {
    var node = client.nodes().withName(name).get();
    return node != null && node.getStatus().getConditions().stream().anyMatch(this::saysReady);
  }

  private boolean saysReady(NodeCondition condition) {
    return condition.getType().equals("Ready")
        && condition.getStatus().equals("True")
        && Instant.parse(condition.getLastHeartbeatTime()).isAfter(reportsAfter);
  }

  /// Returns when the node is Ready.
  public RealNode awaitReady() {
    await(LIMIT, this::isReady);
    return this;
  }

  /// Starts a node that is off, and does not wait until it is Ready.
  void start() {
    process.set(Optional.of(starter.apply(this)));
  }

  /// Pulls the plug: every process of the node is gone on return. Its disks stay.
  public void stop() {
    process.getAndSet(Optional.empty()).ifPresent(NodeProcess::stop);
    reportsAfter = Instant.now();
  }

  /// Pulls the plug and starts the node again with what its disks hold.
  public void reboot() {
    stop();
    start();
    awaitReady();
  }

  /// Kills the kubelet, which is started again, and waits for its first report.
  public void restartKubelet() {
    kill("kubelet");
    reportsAfter = Instant.now();
    awaitReady();
  }

  /// Kills containerd, which is started again, and waits until it answers. The kubelet may take a
  /// second more until it tries again to reach it, and fails requests for logs till then.
  public void restartContainerd() {
    kill("containerd");
    await(STEP_LIMIT, () -> exec("ctr", "version").succeeded());
  }

  /// Makes the image of an archive known to containerd.
  public void importImage(Path archive) {
    var copy = folder.file("images/" + archive.getFileName());
    try {
      Files.copy(archive, copy, StandardCopyOption.REPLACE_EXISTING);
      var inNode = "/node/images/" + archive.getFileName();
      running().execOrFail("ctr", "-n", "k8s.io", "images", "import", inNode);
      Files.delete(copy);
    } catch (IOException e) {
      throw new UncheckedIOException("copy " + archive + " to node " + name, e);
    }
  }

  /// Runs a command of this machine in the namespaces of the node, as root.
  public CommandRun exec(String... command) {
    return running().exec(List.of(command));
  }

  /// Starts a program of this machine in the namespaces of the node, as root, with its output in a
  /// log file; it ends when it is stopped, and with the node at the latest.
  public GuardedProcess start(String program, String... command) {
    return running().start(directory, program, List.of(command));
  }

  /// A file of the node as this machine sees it, until the next reboot.
  public Path path(String absolute) {
    return running().path(absolute);
  }

  private void kill(String program) {
    var pidFile = running().path("/run/" + program + ".pid");
    var before = text(pidFile);
    running().execOrFail("sh", "-c", "kill -KILL " + before);
    await(STEP_LIMIT, () -> !text(pidFile).equals(before));
  }

  private NodeProcess running() {
    return process.get().orElseThrow(() -> new TestbedException("node " + name + " is off"));
  }

  private void await(Duration limit, BooleanSupplier condition) {
    try {
      Deadline.in(limit).await(running().guarded(), condition);
    } catch (TestbedException e) {
      throw new TestbedException(
          "%s%ncontainerd's log ends with:%n%s%nthe kubelet's log ends with:%n%s"
              .formatted(e.getMessage(), folder.logTail("containerd"), folder.logTail("kubelet")),
          e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
