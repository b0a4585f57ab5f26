package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What an NVIDIADriver brings for one pool of its nodes.
public final class NvidiaDriverObjects {
  private static final Map<String, String> STATE =
      Map.of("nvidia.com/gpu-operator.state", "state-driver");

  private NvidiaDriverObjects() {}

  /// What the pods run under; pools of one operating system share it.
  public static List<HasMetadata> account(PooledDriver driver) {
    String namespace = driver.facts().namespace();
    String account = driver.names().account();
    List<HasMetadata> objects = new ArrayList<>(Driver.identity(account).objects(namespace));
    if (driver.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(account).withHostPid().object(namespace));
    }
    objects.forEach(NvidiaDriverObjects::label);
    return objects;
  }

  /// What the pods of all NVIDIADrivers share under one name, labelled after one of them.
  public static List<HasMetadata> shared(PooledDriver driver) {
    String namespace = driver.facts().namespace();
    List<HasMetadata> objects = new ArrayList<>();
    objects.add(
        DriverShape.probeScript(
            Map.of("app", driver.names().app(), DriverShape.COMPONENT_LABEL, driver.component()),
            namespace));
    if (driver.openShift().flatMap(OpenShift::trustedCa).isPresent()) {
      objects.add(OpenShiftSettings.trustedCa(namespace));
    }
    objects.forEach(NvidiaDriverObjects::label);
    return objects;
  }

  public static DaemonSet daemonSet(PooledDriver driver) {
    DaemonSet daemonSet = NvidiaDriverRenderer.render(driver);
    label(daemonSet);
    return daemonSet;
  }

  private static void label(HasMetadata object) {
    var labels =
        new HashMap<>(Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of()));
    labels.putAll(STATE);
    object.getMetadata().setLabels(labels);
  }
}
