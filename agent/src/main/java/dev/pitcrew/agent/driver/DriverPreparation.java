package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.NodePods;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.driver.plan.DriverPlan;
import dev.pitcrew.agent.driver.plan.Next;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a node ready for the driver whose container starts next.
public final class DriverPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(DriverPreparation.class);

  private final PreparationOptions options;
  private final ApiServer server;
  private final InstantSource clock;
  private final WakeUp wakeUp;
  private final FileEvents files;

  /// Reports files that appear and disappear, as [FolderEvents] does.
  @FunctionalInterface
  interface FileEvents {
    FolderEvents of(List<Names> files, Runnable onEvent) throws IOException;
  }

  /// @param wakeUp ended by who stops it before its time
  public DriverPreparation(
      PreparationOptions options, ApiServer server, InstantSource clock, WakeUp wakeUp) {
    this(options, server, clock, wakeUp, FolderEvents::of);
  }

  DriverPreparation(
      PreparationOptions options,
      ApiServer server,
      InstantSource clock,
      WakeUp wakeUp,
      FileEvents files) {
    this.options = options;
    this.server = server;
    this.clock = clock;
    this.wakeUp = wakeUp;
    this.files = files;
  }

  /// Returns when the driver container may start, or when it is clear that it may not.
  public PreparationResult run() throws IOException, InterruptedException {
    var pods = new AtomicReference<Optional<NodePods>>(Optional.empty());
    Path socket = options.places().host().place(KubeletPods.SOCKET);
    try (var _ = fileEvents();
        var holders = new GpuHolders(socket, server)) {
      var situation =
          new UninstallDriver.Situation(
              options.node(),
              options.asked(),
              host(),
              ownDriver(),
              new DriverFiles(options.places(), options.unloader()),
              holders,
              this::unbindAll,
              wakeUp,
              new WaitDeadlines(options.limits(), clock));
      return new UninstallDriver(
              situation,
              account(),
              () -> {
                var followed =
                    NodePods.follow(server, options.namespace(), options.node(), wakeUp::wake);
                pods.set(Optional.of(followed));
                return followed;
              })
          .run();
    } finally {
      pods.get().ifPresent(NodePods::close);
    }
  }

  /// What it would do first; changes nothing.
  ///
  /// @return why the node cannot be worked with, if so
  public Optional<String> check(Consumer<String> words) throws InterruptedException {
    OwnDriver.Answer own = ownDriver().ask();
    return switch (account().read()) {
      case NodeAccount.Answer.Failed(var why) -> Optional.of(why);
      case NodeAccount.Answer.Outdated() -> Optional.empty();
      case NodeAccount.Answer.Now(var node) -> {
        Optional<String> silence = own.silence().filter(_ -> !node.isToHaveContainer());
        if (silence.isEmpty()) {
          words.accept(words(observed(own, node)));
        }
        yield silence;
      }
    };
  }

  private Observed observed(OwnDriver.Answer own, Observed.Node node) {
    return new Observed(options.asked(), host().now(own.driver()), node, Optional.empty());
  }

  private static String words(Observed seen) {
    if (seen.isReplacement()) {
      return "another driver is loaded and would have to go: " + seen.host().modules().toUnload();
    }
    return switch (DriverPlan.next(seen)) {
      case Next.Start(_, var isKept) ->
          isKept ? "the driver that is loaded is the one that is wanted" : "no driver is loaded";
      case Next.LeaveToHost(_, var why) -> why;
      case Next.Await(_, var who) -> "it would wait for " + who;
      case Next.Pause _, Next.Resume _, Next.Unload _, Next.Reboot _ -> "the driver has to go";
    };
  }

  private HostObservation host() {
    return new HostObservation(options.places(), options.network(), vfio());
  }

  private VfioDevices vfio() {
    return new VfioDevices(options.places().root(), options.places().host(), options.shell());
  }

  private OwnDriver ownDriver() {
    return new OwnDriver(options.places(), options.shell());
  }

  private NodeAccount account() {
    return new NodeAccount(server, ObjectPath.of("v1", "nodes", options.node()), wakeUp);
  }

  /// Without them, as where the kernel has no watch left for us, files are looked for now and then.
  private Closeable fileEvents() {
    try {
      return files.of(files(), wakeUp::wake)::close;
    } catch (IOException failure) {
      LOG.atWarn().log("files cannot be watched: {}", failure.toString());
      return () -> {};
    }
  }

  /// The agent's answer, and what network drivers leave.
  private List<Names> files() {
    HostRoot root = options.places().root();
    return List.of(
        new Names(root.place(DriverRelease.FOLDER), DriverRelease.FILE),
        new Names(root.place(NetworkDrivers.READY_FOLDER), NetworkDrivers.READY_FILE));
  }

  private Optional<String> unbindAll() {
    VfioDevices devices = vfio();
    try {
      return devices.unbind(devices.takenAway()).stream()
          .map(failure -> "unbind " + failure)
          .findFirst();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }
}
