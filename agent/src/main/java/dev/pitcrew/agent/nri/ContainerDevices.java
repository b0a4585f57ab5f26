package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.nri.plan.ContainerFacts;
import dev.pitcrew.agent.nri.plan.ContainerRules;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses the devices of containers by the rules and devices of the moment.
public final class ContainerDevices implements ContainerHook {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerDevices.class);

  private record Basis(ContainerRules rules, KnownDevices known) {}

  private final Consumer<String> onSkipped;
  private final AtomicReference<Basis> basis =
      new AtomicReference<>(new Basis(ContainerRules.standard(""), KnownDevices.NONE));

  /// @param onSkipped receives why a container starts without the devices that it asks for
  public ContainerDevices(Consumer<String> onSkipped) {
    this.onSkipped = onSkipped;
  }

  /// What holds from now on.
  public void are(ContainerRules rules, KnownDevices known) {
    basis.set(new Basis(rules, known));
  }

  public KnownDevices known() {
    return basis.get().known();
  }

  @Override
  public DeviceChoice creating(ContainerFacts container) {
    Basis now = basis.get();
    DeviceChoice choice = DeviceRules.choose(container, now.rules(), now.known());
    switch (choice) {
      case DeviceChoice.Inject(var devices, _) when devices.isEmpty() ->
          LOG.atDebug().log("{} gets no devices by this plugin", container.words());
      case DeviceChoice.Inject(var devices, _) ->
          LOG.atInfo().log("{} gets {}", container.words(), String.join(", ", devices));
      case DeviceChoice.Skip(var why) -> onSkipped.accept(why);
      case DeviceChoice.Refuse(var why) -> LOG.atWarn().log("refused: {}", why);
    }
    return container.hasUserNamespace() && choice instanceof DeviceChoice.Inject(var devices, _)
        ? new DeviceChoice.Inject(devices, now.known().withoutIdMapping(container, devices))
        : choice;
  }
}
