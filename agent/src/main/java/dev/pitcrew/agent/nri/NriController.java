package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.settings.ContainerSettings;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives devices to containers that ask for them by variable or annotation, while the runtime
/// creates them: keeps the specifications of these devices, and the plugin that names them.
public final class NriController implements Controller<NriController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NriController.class);
  private static final Duration UNTIL_WRITTEN_AGAIN = Duration.ofSeconds(30);

  private final AgentContext context;
  private final Consumer<Optional<NriState>> states;
  private final Consumer<String> skips;
  private final InstalledHook hook;
  private final RuntimeSpecifications specifications;
  private final ContainerDevices devices = new ContainerDevices(this::skipped);
  private final ProblemLog failures = new ProblemLog(LOG);
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

  /// @param inventory empty while the driver does not answer
  /// @param nodes empty while the device nodes of the GPUs are still to be made
  public record Input(
      FunctionState state,
      ContainerSettings containers,
      String driverFolder,
      Optional<Inventory> inventory,
      Optional<DeviceNodeController.View> nodes) {}

  /// @param skips receives why a container was not given the devices that it asks for
  public NriController(
      AgentContext context,
      Consumer<Optional<NriState>> states,
      Consumer<String> skips,
      InstalledHook hook) {
    this.context = context;
    this.states = states;
    this.skips = skips;
    this.hook = hook;
    this.specifications =
        new RuntimeSpecifications(new SpecificationFolder(context.folders().cdi()));
  }

  @Override
  public Duration reconcile(Input input) {
    return switch (input.state()) {
      case FunctionState.Off(_) -> {
        close();
        yield RESYNC;
      }
      // While the driver is used exclusively, no new container gets it.
      case FunctionState.Paused(_) -> {
        serve(input.containers(), KnownDevices.NONE);
        written = Optional.empty();
        yield RESYNC;
      }
      case FunctionState.On() -> {
        CdiHook program = hook.now();
        serve(input.containers(), known(input, program));
        boolean isComplete = written.isPresent() && program.problem().isEmpty();
        yield isComplete || input.inventory().isEmpty() ? RESYNC : UNTIL_WRITTEN_AGAIN;
      }
    };
  }

  private void serve(ContainerSettings settings, KnownDevices known) {
    devices.are(settings.rules(), known);
    if (running.filter(now -> now.isFor(settings)).isPresent()) {
      return;
    }
    close();
    var door = new NriPlugin.Door(context.host(), settings.socket(), settings.index());
    running =
        Optional.of(
            new Running(
                NriPlugin.start(door, devices, state -> states.accept(Optional.of(state))),
                settings));
  }

  /// Without a driver the files stay: nothing names them, and running containers do not need them.
  private KnownDevices known(Input input, CdiHook program) {
    Optional<Inventory> inventory = input.inventory();
    if (inventory.isEmpty()) {
      written = Optional.empty();
      return KnownDevices.NONE;
    }
    if (input.nodes().isEmpty()) {
      return devices.known();
    }
    OfferPlaces places = OfferPlaces.of(context, input.driverFolder());
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

  private void skipped(String why) {
    LOG.atWarn().log(why);
    skips.accept(why);
  }

  @Override
  public void close() {
    if (running.isPresent()) {
      running.get().plugin().close();
      running = Optional.empty();
      states.accept(Optional.empty());
    }
  }
}
