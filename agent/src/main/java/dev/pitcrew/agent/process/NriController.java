package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.Happening;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nri.ContainerDevices;
import dev.pitcrew.agent.nri.KnownDevices;
import dev.pitcrew.agent.nri.NriPlugin;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.nri.RuntimeSpecifications;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.offer.Told;
import dev.pitcrew.agent.settings.ContainerSettings;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives devices to containers that ask for them by variable or annotation, while the runtime
/// creates them: keeps the specifications of these devices, and the plugin that names them.
final class NriController implements Controller, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NriController.class);
  private static final Duration UNTIL_WRITTEN_AGAIN = Duration.ofSeconds(30);
  private static final String SKIPPED = "DevicesNotGiven";

  private final AgentContext place;
  private final StateStore board;
  private final Events events;
  private final InstalledHook hook;
  private final RuntimeSpecifications specifications;
  private final ContainerDevices devices = new ContainerDevices(this::skipped);
  private final Told failures = new Told(LOG);
  private Optional<Running> running = Optional.empty();
  private Optional<Subject> written = Optional.empty();

  private record Running(NriPlugin plugin, ContainerSettings settings) {
    /// Other rules need no other connection.
    boolean isFor(ContainerSettings other) {
      return settings.socket().equals(other.socket()) && settings.index().equals(other.index());
    }
  }

  /// What specifications are made of, besides the files below the driver root.
  private record Subject(
      Inventory inventory, DriverRoot driver, DeviceNodes nodes, String hookPath) {}

  NriController(AgentContext place, StateStore board, Events events, InstalledHook hook) {
    this.place = place;
    this.board = board;
    this.events = events;
    this.hook = hook;
    this.specifications = new RuntimeSpecifications(new SpecificationFolder(place.folders().cdi()));
  }

  @Override
  public Duration act(NodeState situation) {
    if (situation.settings().isEmpty()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    return switch (settings.state(NodeFunction.RUNTIME)) {
      case FunctionState.Off(_) -> {
        close();
        yield SETTLED;
      }
      // While the driver is used exclusively, no new container gets it.
      case FunctionState.Paused(_) -> {
        serve(settings.containers(), KnownDevices.NONE);
        written = Optional.empty();
        yield SETTLED;
      }
      case FunctionState.On() -> {
        CdiHook program = hook.now();
        serve(settings.containers(), known(situation, settings.driverFolder(), program));
        boolean isComplete = written.isPresent() && program.trouble().isEmpty();
        yield isComplete || !hasDriver(situation) ? SETTLED : UNTIL_WRITTEN_AGAIN;
      }
    };
  }

  private void serve(ContainerSettings settings, KnownDevices known) {
    devices.are(settings.rules(), known);
    if (running.filter(now -> now.isFor(settings)).isPresent()) {
      return;
    }
    close();
    var door = new NriPlugin.Door(place.host(), settings.socket(), settings.index());
    running = Optional.of(new Running(NriPlugin.start(door, devices, this::told), settings));
  }

  private static boolean hasDriver(NodeState situation) {
    return situation.snapshot().filter(NodeSnapshot.WithDriver.class::isInstance).isPresent();
  }

  /// Without a driver the files stay: nothing names them, and running containers do not need them.
  private KnownDevices known(NodeState situation, String driverFolder, CdiHook program) {
    Optional<Inventory> inventory =
        situation.snapshot().filter(_ -> hasDriver(situation)).flatMap(NodeSnapshot::inventory);
    if (inventory.isEmpty()) {
      written = Optional.empty();
      return KnownDevices.NONE;
    }
    if (situation.waitsForDeviceNodes()) {
      return devices.known();
    }
    OfferPlaces places = DriverPaths.offerPlaces(place, driverFolder);
    DriverRoot driver = places.driver().now();
    var subject =
        new Subject(
            inventory.get(),
            driver,
            DeviceNodeSearch.find(driver.devices(), places.host()),
            program.ownOrReference());
    if (written.filter(subject::equals).isPresent()) {
      return devices.known();
    }
    var made =
        specifications.write(
            CdiInput.read(subject.inventory(), driver, places.host()), subject.hookPath());
    failures.lines(made.failures());
    boolean isComplete = made.failures().isEmpty() && !made.devices().gpus().isEmpty();
    written = Optional.of(subject).filter(_ -> isComplete);
    return made.devices();
  }

  private void told(NriState state) {
    board.change(now -> now.with(Optional.of(state)));
  }

  private void skipped(String why) {
    LOG.atWarn().log(why);
    board
        .now()
        .cluster()
        .nodeObject()
        .map(Happening.Subject::of)
        .ifPresent(node -> events.tell(new Happening(node, Happening.Type.WARNING, SKIPPED, why)));
  }

  @Override
  public void close() {
    if (running.isPresent()) {
      running.get().plugin().close();
      running = Optional.empty();
      board.change(now -> now.with(Optional.<NriState>empty()));
    }
  }
}
