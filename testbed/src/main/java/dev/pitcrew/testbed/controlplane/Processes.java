package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.binaries.Binaries;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;

/// The processes of one control plane: started in the order in which they need each other, stopped
/// in the opposite one, because an API server that outlives its etcd hangs for minutes.
final class Processes {
  private static final int ATTEMPTS = 5;
  private final WorkDirectory directory;
  private final CommandLines commandLines;
  private final HealthProbe probe;
  private final LinkedHashMap<String, GuardedProcess> started = new LinkedHashMap<>();

  private Processes(CommandLines commandLines, HealthProbe probe) {
    this.directory = commandLines.directory();
    this.commandLines = commandLines;
    this.probe = probe;
  }

  /// Starts etcd and the API server on free ports, on others where the race for one is lost.
  static Processes serving(
      Binaries binaries, WorkDirectory directory, ControlPlaneOptions options, HealthProbe probe) {
    for (var attempt = 1; ; attempt++) {
      var processes =
          new Processes(new CommandLines(binaries, directory, options, Ports.free()), probe);
      try {
        processes.startEtcd();
        processes.startApiServer();
        return processes;
      } catch (Deadline.PortTaken e) {
        processes.stop();
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  String apiServerAddress() {
    return commandLines.apiServerAddress();
  }

  private void startEtcd() {
    var etcd = start("etcd", commandLines.etcd());
    deadline().await(etcd, () -> probe.isOk(commandLines.etcdAddress() + "/health"));
  }

  /// Returns when the API server answers that it is ready.
  void startApiServer() {
    var apiServer = start("kube-apiserver", commandLines.apiServer());
    deadline().await(apiServer, () -> probe.isOk(apiServerAddress() + "/readyz"));
  }

  void stopApiServer() {
    process("kube-apiserver").stop();
  }

  /// Starts what needs the API server, and does not wait for it.
  void startControllers() {
    start("kube-controller-manager", commandLines.controllerManager());
    start("kube-scheduler", commandLines.scheduler());
  }

  GuardedProcess process(String name) {
    return Objects.requireNonNull(started.get(name), name);
  }

  Deadline deadline() {
    return Deadline.in(commandLines.options().startDeadline());
  }

  void stop() {
    started.sequencedValues().reversed().forEach(GuardedProcess::stop);
  }

  private GuardedProcess start(String name, List<String> commandLine) {
    var process = directory.start(name, commandLine);
    started.put(name, process);
    return process;
  }
}
