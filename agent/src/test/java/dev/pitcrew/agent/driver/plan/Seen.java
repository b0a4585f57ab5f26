package dev.pitcrew.agent.driver.plan;

import dev.pitcrew.agent.driver.plan.LoadedModules.Module;
import dev.pitcrew.api.node.DriverRelease;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A node with driver `1`, where `2` is wanted and one operand runs.
final class Seen {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  static final String BOOT = "boot-1";
  static final LoadedModules IDLE = modules(0, 0);

  private String wanted = "2";
  private boolean forced;
  private OperandLabels operands = new OperandLabels(Optional.empty());
  private Optional<String> ownDriver = Optional.empty();
  private LoadedModules modules = IDLE;
  private String installed = "1";
  private Optional<String> lack = Optional.empty();
  private List<String> machines = List.of();
  private Optional<StuckDriver> stuckDriver = Optional.empty();
  private Optional<DriverRelease> release = Optional.empty();
  private Observed.Processes processes = new Observed.Processes(List.of(), true);
  private Map<String, String> labels = Map.of(PLUGIN, "true");
  private Optional<Observed.Pods> pods = Optional.empty();

  Observed see() {
    return new Observed(
        new Observed.Asked(wanted, forced, operands),
        new Observed.Host(
            ownDriver, modules, installed, BOOT, lack, machines, stuckDriver, release, processes),
        new Observed.Node(labels, Map.of(), "10"),
        pods);
  }

  Seen wanted(String digest) {
    wanted = digest;
    return this;
  }

  Seen forced() {
    forced = true;
    return this;
  }

  Seen own(String label) {
    operands = new OperandLabels(Optional.of(label));
    return this;
  }

  Seen labels(Map<String, String> given) {
    labels = given;
    return this;
  }

  Seen pods(Observed.Pods given) {
    pods = Optional.of(given);
    return this;
  }

  Seen installed(String digest) {
    installed = digest;
    return this;
  }

  Seen modules(LoadedModules loaded) {
    modules = loaded;
    return this;
  }

  Seen ownDriver(String version) {
    ownDriver = Optional.of(version);
    return this;
  }

  Seen lacking(String what) {
    lack = Optional.of(what);
    return this;
  }

  Seen stuckDriver(String bootId, int uvm) {
    stuckDriver = Optional.of(new StuckDriver(bootId, Map.of("nvidia_uvm", uvm), "stuck"));
    return this;
  }

  Seen released(String bootId, String version) {
    release =
        Optional.of(
            new DriverRelease(DriverRelease.API_VERSION, "n", bootId, version, Map.of(), Map.of()));
    return this;
  }

  Seen processes(boolean areAll, String... users) {
    processes = new Observed.Processes(List.of(users), areAll);
    return this;
  }

  Seen machines(String... holding) {
    machines = List.of(holding);
    return this;
  }

  /// @param driver the count of `nvidia`, which two modules use
  static LoadedModules modules(int driver, int uvm) {
    return new LoadedModules(
        Map.of(
            "nvidia", new Module(driver, Set.of("nvidia_uvm", "nvidia_modeset")),
            "nvidia_uvm", new Module(uvm, Set.of()),
            "nvidia_modeset", new Module(0, Set.of())));
  }
}
