package dev.pitcrew.operator.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.driver.DriverFleet;
import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.driver.DriverResource;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// NVIDIADrivers as a user writes them, and nodes for them.
public final class Drivers {
  private static final String OS = "feature.node.kubernetes.io/system-os_release.";

  private Drivers() {}

  /// The `spec` of an NVIDIADriver.
  public static NvidiaDriverSpec from(String yaml) {
    return ApiJson.read(
        Serialization.unmarshal("---\n" + (yaml.isBlank() ? "{}" : yaml), JsonNode.class),
        NvidiaDriverSpec.class);
  }

  /// An NVIDIADriver that names the image of its driver, and what else is given.
  ///
  /// @param yaml more of its `spec`, in the form `{a: b}`
  public static DriverResource named(String name, String yaml) {
    String image = "repository: example.com, image: driver, version: '570'";
    String rest = yaml.strip().substring(1);
    return new DriverResource(
        name,
        name + "-uid",
        from("{" + image + (rest.strip().equals("}") ? rest : ", " + rest)),
        "");
  }

  /// A GPU node with labels of feature discovery.
  ///
  /// @param more further labels, as `key=value`
  public static NodeFacts node(String name, String id, String version, String... more) {
    Map<String, String> labels = new TreeMap<>();
    labels.put("nvidia.com/gpu.present", "true");
    labels.put(OS + "ID", id);
    labels.put(OS + "VERSION_ID", version);
    labels.put(OS + "VERSION_ID.major", version.split("\\.", 2)[0]);
    labels.put("feature.node.kubernetes.io/kernel-version.full", "5.15.0-78-generic");
    Arrays.stream(more)
        .map(label -> label.split("=", 2))
        .forEach(label -> labels.put(label[0], label[1]));
    return new NodeFacts(name, name + "-uid", "1", labels, Map.of(), "containerd://2.1.4", "");
  }

  /// The same, owned by an NVIDIADriver.
  public static NodeFacts owned(String name, String driver, String... more) {
    String[] labels = Arrays.copyOf(more, more.length + 1);
    labels[more.length] = "nvidia.com/gpu-operator.driver.owner=" + driver;
    return node(name, "ubuntu", "22.04", labels);
  }

  public static DriverFleet fleet(List<DriverResource> drivers, NodeFacts... nodes) {
    return DriverFleet.of(drivers, Set.of(), List.of(nodes));
  }

  /// What one of them comes to.
  public static DriverPlan plan(DriverResource driver, DriverFleet fleet, Facts facts) {
    return plan(driver, fleet, facts, OwnManagerContainer.OFF);
  }

  /// As the other.
  ///
  /// @param manager what makes nodes ready for a driver
  public static DriverPlan plan(
      DriverResource driver, DriverFleet fleet, Facts facts, OwnManagerContainer manager) {
    return DriverPlan.of(driver, fleet, "/", facts.build(), Policies.images(), manager);
  }
}
