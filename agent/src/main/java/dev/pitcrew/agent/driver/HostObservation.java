package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.LoadedModules;
import dev.pitcrew.agent.driver.plan.LoadedModules.Module;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.agent.vfio.VfioDevices.Failure;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.hardware.HostRoot;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Reads the node without its cluster.
record HostObservation(DriverPlaces places, NetworkDrivers network, VfioDevices vfio) {
  private static final String MODULES = "/sys/module/";

  /// @param ownDriver which was asked for before, since the host's program may take its time
  Observed.Host now(Optional<String> ownDriver) {
    HostRoot root = places.root();
    LoadedModules modules = modules(root);
    return new Observed.Host(
        ownDriver,
        modules,
        root.text(root.hostPath(places.digestFile())).orElse(""),
        HostFacts.bootId(root),
        network.lack(root),
        vfio.inMachines(vfio.takenAway()).stream().map(Failure::toString).toList(),
        new StuckDriverFile(places.stuckDriverFile()).read(),
        release(root),
        processes(modules));
  }

  private Observed.Processes processes(LoadedModules modules) {
    var processes = DriverProcesses.of(places);
    return new Observed.Processes(
        modules.inUse().isEmpty() ? List.of() : processes.users(), processes.areAll());
  }

  /// As `/sys/module` shows them: one that is built into the kernel has no counts.
  static LoadedModules modules(HostRoot root) {
    var found = new HashMap<String, Module>();
    Stream.concat(LoadedModules.UNLOAD_ORDER.stream(), Stream.of(LoadedModules.NOUVEAU))
        .forEach(name ->
            root.text(MODULES + name + "/refcnt")
                .filter(count -> count.matches("-?[0-9]{1,9}"))
                .ifPresent(count ->
                    found.put(
                        name,
                        new Module(
                            Integer.parseInt(count),
                            Set.copyOf(root.names(MODULES + name + "/holders"))))));
    return new LoadedModules(found);
  }

  private static Optional<DriverRelease> release(HostRoot root) {
    return root.text(DriverRelease.FOLDER + "/" + DriverRelease.FILE)
        .flatMap(HostObservation::parsed);
  }

  private static Optional<DriverRelease> parsed(String text) {
    try {
      return Optional.of(ApiJson.read(text, DriverRelease.class));
    } catch (UnreadableResource _) {
      return Optional.empty();
    }
  }
}
