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

  private Observed.Asked asked =
      new Observed.Asked("2", false, new OperandLabels(Optional.empty()));
  private Observed.Host host =
      new Observed.Host(
          Optional.empty(),
          IDLE,
          "1",
          BOOT,
          Optional.empty(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          new Observed.Processes(List.of(), true));
  private Map<String, String> labels = Map.of(PLUGIN, "true");
  private Optional<Observed.Pods> pods = Optional.empty();

  Observed see() {
    return new Observed(asked, host, new Observed.Node(labels, Map.of(), "10"), pods);
  }

  Seen wanted(String digest) {
    asked = new Observed.Asked(digest, asked.forces(), asked.operands());
    return this;
  }

  Seen forced() {
    asked = new Observed.Asked(asked.digest(), true, asked.operands());
    return this;
  }

  Seen own(String label) {
    asked =
        new Observed.Asked(asked.digest(), asked.forces(), new OperandLabels(Optional.of(label)));
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
    return host(host.modules(), digest, host.ownDriver(), host.lacks(), host.wedge());
  }

  Seen modules(LoadedModules modules) {
    return host(modules, host.installedDigest(), host.ownDriver(), host.lacks(), host.wedge());
  }

  Seen ownDriver(String version) {
    return host(
        host.modules(), host.installedDigest(), Optional.of(version), host.lacks(), host.wedge());
  }

  Seen lacking(String lack) {
    return host(
        host.modules(), host.installedDigest(), host.ownDriver(), Optional.of(lack), host.wedge());
  }

  Seen wedge(String bootId, int uvm) {
    return host(
        host.modules(),
        host.installedDigest(),
        host.ownDriver(),
        host.lacks(),
        Optional.of(new Wedge(bootId, Map.of("nvidia_uvm", uvm), "stuck")));
  }

  Seen released(String bootId, String version) {
    var release =
        new DriverRelease(DriverRelease.API_VERSION, "n", bootId, version, Map.of(), Map.of());
    host =
        new Observed.Host(
            host.ownDriver(),
            host.modules(),
            host.installedDigest(),
            host.bootId(),
            host.lacks(),
            host.machines(),
            host.wedge(),
            Optional.of(release),
            host.processes());
    return this;
  }

  Seen processes(boolean areAll, String... users) {
    host =
        new Observed.Host(
            host.ownDriver(),
            host.modules(),
            host.installedDigest(),
            host.bootId(),
            host.lacks(),
            host.machines(),
            host.wedge(),
            host.release(),
            new Observed.Processes(List.of(users), areAll));
    return this;
  }

  Seen machines(String... machines) {
    host =
        new Observed.Host(
            host.ownDriver(),
            host.modules(),
            host.installedDigest(),
            host.bootId(),
            host.lacks(),
            List.of(machines),
            host.wedge(),
            host.release(),
            host.processes());
    return this;
  }

  private Seen host(
      LoadedModules modules,
      String digest,
      Optional<String> ownDriver,
      Optional<String> lacks,
      Optional<Wedge> wedge) {
    host =
        new Observed.Host(
            ownDriver,
            modules,
            digest,
            host.bootId(),
            lacks,
            host.machines(),
            wedge,
            host.release(),
            host.processes());
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
