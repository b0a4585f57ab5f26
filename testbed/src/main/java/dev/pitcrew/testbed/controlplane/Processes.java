package dev.pitcrew.testbed.controlplane;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/// The processes of one control plane: started in the order in which they need each other, stopped
/// in the opposite one, because an API server that outlives its etcd hangs for minutes.
final class Processes {
  private static final int ATTEMPTS = 5;
  private static final String API_SERVER = "kube-apiserver";
  private static final String CONTROLLER_MANAGER = "kube-controller-manager";
  private final WorkDirectory directory;
  private final CommandLines commandLines;
  private final String authorityPem;
  private final LinkedHashMap<String, GuardedProcess> started = new LinkedHashMap<>();

  private Processes(CommandLines commandLines, String authorityPem) {
    this.directory = commandLines.directory();
    this.commandLines = commandLines;
    this.authorityPem = authorityPem;
  }

  /// Starts etcd and the API server on the ports of `first`, on others where another program was
  /// faster to take one of them.
  static Processes serving(CommandLines first, String authorityPem) {
    var lines = first;
    for (var attempt = 1; ; attempt++) {
      var processes = new Processes(lines, authorityPem);
      try {
        processes.startEtcd();
        processes.startApiServer();
        return processes;
      } catch (Deadline.PortTaken e) {
        processes.stop();
        if (attempt == ATTEMPTS) {
          throw e;
        }
        lines = lines.withPorts(Ports.free());
      }
    }
  }

  String apiServerAddress() {
    return commandLines.apiServerAddress();
  }

  String etcdAddress() {
    return commandLines.etcdAddress();
  }

  private void startEtcd() {
    awaitAnswer(start("etcd", commandLines.etcd()), etcdAddress() + "/health");
  }

  /// Returns when the API server answers that it is ready.
  void startApiServer() {
    awaitAnswer(start(API_SERVER, commandLines.apiServer()), apiServerAddress() + "/readyz");
  }

  void stopApiServer() {
    process(API_SERVER).stop();
  }

  /// Starts what needs the API server, and does not wait for it.
  void startControllers() {
    start(CONTROLLER_MANAGER, commandLines.controllerManager());
    start("kube-scheduler", commandLines.scheduler());
  }

  /// Returns when the controller manager has done what `isDone` looks for.
  void awaitControllers(BooleanSupplier isDone) {
    deadline().await(process(CONTROLLER_MANAGER), isDone);
  }

  private void awaitAnswer(GuardedProcess process, String address) {
    try (var probe = HealthProbe.trusting(authorityPem)) {
      deadline().await(process, () -> probe.isOk(address));
    }
  }

  private GuardedProcess process(String name) {
    return Objects.requireNonNull(started.get(name), name);
  }

  private Deadline deadline() {
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
