package dev.pitcrew.agent.command;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.agent.vfio.VfioDevices.Failure;
import dev.pitcrew.core.text.GoText;
import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "vfio-manage",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Hands the GPUs of this node to the kernel's drivers for virtual machines, or hands them back."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done for all of them",
      "1:not done for the devices that standard error names; done for the others",
      "2:wrong usage"
    })
final class VfioManageCommand implements Callable<Integer> {
  enum Action {
    bind,
    unbind
  }

  /// One of them.
  static final class Devices {
    @Option(
        names = {"-a", "--all"},
        required = true,
        description = "All GPUs of the node.")
    boolean all;

    @Option(
        names = {"-d", "--device-id"},
        required = true,
        paramLabel = "<address>",
        description = "The device at this PCI address, such as 0000:3b:00.0.")
    String address = "";
  }

  private final StopSignal stop;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "bind|unbind", description = "What to do.")
  Action action = Action.bind;

  @ArgGroup(multiplicity = "1")
  Devices devices = new Devices();

  @Option(
      names = "--host-root",
      defaultValue = "${env:HOST_ROOT:-/}",
      description = "Where / of the host is, with its modprobe (HOST_ROOT; default: /).")
  Path hostRoot = Path.of("/");

  @Option(
      names = "--bind-nvswitches",
      arity = "0..1",
      fallbackValue = "true",
      defaultValue = "${env:BIND_NVSWITCHES:-false}",
      description = "With bind --all: NVSwitches, too (BIND_NVSWITCHES).")
  String bindsSwitches = "";

  @Option(
      names = "--until-stopped",
      description =
          "With bind: keep them until this program is asked to stop, then hand them back.")
  boolean keeps;

  @Option(
      names = "--root",
      defaultValue = "/",
      hidden = true,
      description = "Where /sys and /proc of a simulated node are.")
  Path root = Path.of("/");

  VfioManageCommand(StopSignal stop) {
    this.stop = stop;
  }

  @Override
  public Integer call() throws InterruptedException {
    var host = new HostRoot(hostRoot);
    var vfio = new VfioDevices(new HostRoot(root), host, HostShell.of(host));
    boolean isBind = action == Action.bind;
    List<String> wanted = devices.all ? all(vfio, isBind) : List.of(devices.address);
    List<Failure> failures = isBind ? vfio.bind(wanted) : vfio.unbind(wanted);
    if (!isBind || !keeps || !failures.isEmpty()) {
      return print(action, wanted, failures); // a retry binds again what is bound
    }
    print(action, wanted, failures);
    stop.passes(Optional.empty());
    return print(Action.unbind, wanted, vfio.unbind(wanted));
  }

  /// Switches are handed back whichever program bound them, but not from the driver of containers.
  private List<String> all(VfioDevices vfio, boolean isBind) {
    return isBind
        ? vfio.all(bindsSwitches())
        : Stream.concat(vfio.all(false).stream(), vfio.takenAway().stream()).distinct().toList();
  }

  /// As Go reads a truth value, where an empty variable is none.
  private boolean bindsSwitches() {
    return !bindsSwitches.isEmpty()
        && GoText.bool(bindsSwitches)
            .orElseThrow(() ->
                new ParameterException(
                    spec.commandLine(),
                    "--bind-nvswitches (BIND_NVSWITCHES) is '%s': give true or false"
                        .formatted(bindsSwitches)));
  }

  private int print(Action done, List<String> wanted, List<Failure> failures) {
    failures.forEach(
        failure -> spec.commandLine().getErr().println("%s of %s".formatted(done, failure)));
    if (failures.isEmpty()) {
      spec.commandLine().getOut().println("%s: %s".formatted(done, wanted));
    }
    return failures.isEmpty() ? PitcrewCommand.DONE : PitcrewCommand.FAILED;
  }
}
