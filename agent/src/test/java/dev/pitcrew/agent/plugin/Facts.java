package dev.pitcrew.agent.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.config.DeviceIdStrategy;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What the program that ours takes the place of answered on a node, as it was recorded.
public record Facts(JsonNode json) {

  public static Facts read(String name) {
    try (var file = Facts.class.getResourceAsStream("/facts/" + name + ".json")) {
      return new Facts(new ObjectMapper().readTree(file));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// The node of the recording, with simulated GPUs.
  public SimulatedNode node(Path folder) {
    int gpus =
        switch (json.path("profile").asText()) {
          case "x-a100x1" -> 1;
          case "x-a100x2" -> 2;
          default -> 8;
        };
    SimulatedNode node =
        SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g").withGpus(gpus));
    if (json.has("mig_state")) {
      node.divide(String.join("\n", texts(json.path("mig_state"))) + "\n");
    }
    if (json.has("mig_state_gpu0")) {
      node.divide(
          IntStream.range(0, gpus)
              .mapToObj(gpu -> layoutOf(gpu, texts(json.path("mig_state_gpu0"))))
              .collect(Collectors.joining()));
    }
    return node;
  }

  private static String layoutOf(int gpu, List<String> lines) {
    return lines.stream()
        .map(line -> line.replaceFirst(" 0 ", " " + gpu + " ") + "\n")
        .collect(Collectors.joining());
  }

  public static GpuSettings settings(SimulatedNode node) {
    return new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()));
  }

  public static Inventory inventory(SimulatedNode node) {
    try (Gpus gpus = Gpus.open(settings(node)).toOptional().orElseThrow()) {
      return gpus.inventory().toOptional().orElseThrow();
    }
  }

  /// The links of the recorded node, on which only the NUMA node made a difference.
  public static Topology topology(Inventory inventory) {
    Map<Pair, Link> links = new HashMap<>();
    for (Gpu from : inventory.gpus()) {
      for (Gpu to : inventory.gpus()) {
        CommonAncestor ancestor =
            from.pci().numaNode().equals(to.pci().numaNode())
                ? CommonAncestor.NUMA_NODE
                : CommonAncestor.SYSTEM;
        links.put(new Pair(from.uuid(), to.uuid()), new Link(ancestor, 0));
      }
    }
    return new Topology(links);
  }

  public MigStrategy migStrategy() {
    return MigStrategy.valueOf(json.path("mig_strategy").asText().toUpperCase(Locale.ROOT));
  }

  public Sharing sharing() {
    String sharing = json.path("sharing").asText();
    if (sharing.equals("none")) {
      return Sharing.NONE;
    }
    Optional<String> rename =
        sharing.endsWith("-rename") ? Optional.of("nvidia.com/gpu.shared") : Optional.empty();
    boolean isMps = sharing.startsWith("mps");
    return new Sharing(
        isMps ? Sharing.Strategy.MPS : Sharing.Strategy.TIME_SLICING,
        List.of(new SharedResource("nvidia.com/gpu", rename, new DeviceSelection.All(), 4)),
        isMps || sharing.endsWith("-failgt1"));
  }

  public PluginSettings pluginSettings() {
    String flags = json.path("flags").asText();
    DeviceListStrategy list =
        List.of(DeviceListStrategy.values()).stream()
            .filter(strategy -> flags.contains("--device-list-strategy=" + strategy.value()))
            .findFirst()
            .orElse(DeviceListStrategy.ENVVAR);
    return new PluginSettings(
        Set.of(list),
        flags.contains("--device-id-strategy=index")
            ? DeviceIdStrategy.INDEX
            : DeviceIdStrategy.UUID,
        SharedPolicy.DISTRIBUTED,
        Optional.empty(),
        "cdi.k8s.io/",
        Set.of(),
        Set.of(),
        List.of(),
        Optional.of("/run/nvidia/mps").filter(flags::endsWith));
  }

  public static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(item -> texts.add(item.asText()));
    return texts;
  }
}
