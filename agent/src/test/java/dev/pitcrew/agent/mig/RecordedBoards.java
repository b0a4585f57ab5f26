package dev.pitcrew.agent.mig;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.mig.config.MigConfigParser;
import dev.pitcrew.agent.mig.config.MigEntry;
import dev.pitcrew.agent.mig.config.ParsedMigConfig;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.PciIds;
import dev.pitcrew.device.mig.Placement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/// The boards of `facts/mig-profiles.json`, with all that was recorded of their MIG profiles.
public final class RecordedBoards {
  private static final List<MigGpu> ALL = read();

  private RecordedBoards() {}

  /// One GPU of each board, in MIG mode and not divided.
  public static List<MigGpu> all() {
    return ALL;
  }

  /// @param device its PCI ids, such as `0x20B010DE`
  public static MigGpu board(String device) {
    return ALL.stream()
        .filter(gpu -> gpu.ids().deviceText().equals(device))
        .findFirst()
        .orElseThrow();
  }

  public static MigGpu at(int index, MigGpu gpu) {
    return new MigGpu(
        index, "GPU-" + index, gpu.address(), gpu.ids(), gpu.capability(), gpu.division());
  }

  public static MigPartitioning.Capable capable(MigGpu gpu) {
    return (MigPartitioning.Capable) gpu.division();
  }

  /// The entries of the only label of a file.
  public static List<MigEntry> entries(String file) {
    return switch (MigConfigParser.parse(file)) {
      case ParsedMigConfig.Accepted(var config) -> config.layouts().values().iterator().next();
      case ParsedMigConfig.Rejected(var problem) ->
          throw new IllegalArgumentException(problem.text("file"));
    };
  }

  private static List<MigGpu> read() {
    try (var file = RecordedBoards.class.getResourceAsStream("/facts/mig-profiles.json")) {
      var models = new ObjectMapper().readTree(file).path("models");
      return list(models).stream().map(RecordedBoards::gpu).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static MigGpu gpu(JsonNode model) {
    String[] capability = model.path("compute_capability").asText().split("\\.", -1);
    var profiles = new ArrayList<InstanceProfile>();
    list(model.path("profiles")).forEach(profile -> profiles.add(profile(profile)));
    return new MigGpu(
        0,
        "GPU-0",
        "0000:07:00.0",
        new PciIds(Long.decode(model.path("pci_device_id").asText()).intValue(), 0),
        new ComputeCapability(Integer.parseInt(capability[0]), Integer.parseInt(capability[1])),
        new MigPartitioning.Capable(true, true, profiles, List.of(), List.of()));
  }

  private static InstanceProfile profile(JsonNode profile) {
    String name = profile.path("name").asText();
    String[] parts = name.split("[g.+]+", -1);
    int slices = profile.path("slices").asInt();
    int gigabytes = Integer.parseInt(parts[1].replaceAll("\\D", ""));
    String attribute = name.contains("+") ? name.substring(name.indexOf('+')) : "";
    return new InstanceProfile(
        profile.path("gi_profile_index").asInt(),
        profile.path("gi_profile_id").asInt(),
        new MigProfile(slices, slices, gigabytes, attribute),
        profile.path("instances").asInt(),
        list(profile.path("placements_start_size")).stream()
            .map(place -> new Placement(place.get(0).asInt(), place.get(1).asInt()))
            .toList());
  }

  private static List<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
