package dev.pitcrew.agent.facts;

import dev.pitcrew.agent.facts.RuleTable.Row;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Every label of a node with eight GPUs of one board, put together from tables that state the
/// rules of GPU feature discovery and what boards report; nothing of it comes from the code under
/// test.
///
/// The configuration shares `nvidia.com/gpu` and the MIG devices of one and of two slices.
record LabelRules(Row board, Row layout, String sharing) {
  private static final String GPU = "nvidia.com/gpu";
  private static final RuleTable BOARDS = RuleTable.read("boards.csv");
  private static final RuleTable PROFILES = RuleTable.read("profiles.csv");
  private static final RuleTable LAYOUTS = RuleTable.read("layouts.csv");
  private static final RuleTable OFFERS = RuleTable.read("sharing.csv");
  private static final List<String> SHARINGS = List.of("none", "time-slicing", "renamed");
  private static final int SLICES_NOT_SHARED = 3;

  /// All boards in all layouts that they can have, under each MIG strategy and each way of sharing.
  static Stream<LabelRules> all() {
    return BOARDS.rows().stream()
        .flatMap(board ->
            LAYOUTS.rows().stream()
                .filter(layout -> isPossible(board, layout))
                .flatMap(layout ->
                    SHARINGS.stream().map(sharing -> new LabelRules(board, layout, sharing))));
  }

  static List<String> boards() {
    return BOARDS.rows().stream().map(board -> board.at("board")).toList();
  }

  private static boolean isPossible(Row board, Row layout) {
    return board.at("mig").equals("true") || layout.at("layout").equals("whole");
  }

  boolean hasMig() {
    return board.at("mig").equals("true");
  }

  /// The configuration file.
  String configFile() {
    if (sharing.equals("none")) {
      return "version: v1\n";
    }
    var file = new StringBuilder("version: v1\nsharing:\n  timeSlicing:\n");
    file.append("    renameByDefault: %s\n    resources:\n".formatted(sharing.equals("renamed")));
    sharedResources()
        .forEach(name -> file.append("    - {name: %s, replicas: 4}\n".formatted(name)));
    return file.toString();
  }

  private Stream<String> sharedResources() {
    Stream<String> ofMig =
        PROFILES.rows().stream()
            .filter(profile -> profile.at("board").equals(board.at("board")))
            .filter(profile -> isShared(profile))
            .map(profile -> "nvidia.com/mig-" + profile.at("profile"));
    return Stream.concat(Stream.of(GPU), ofMig);
  }

  private static boolean isShared(Row profile) {
    return Integer.parseInt(profile.at("slices")) != SLICES_NOT_SHARED;
  }

  SortedMap<String, String> labels() {
    var labels = new TreeMap<>(ofNode());
    labels.putAll(ofDriver());
    labels.putAll(ofGpus());
    Stream.of(layout.at("devices").split(" ", -1))
        .filter(devices -> !devices.isEmpty())
        .forEach(devices -> labels.putAll(ofProfile(devices.split("\\*", -1))));
    return labels;
  }

  private Map<String, String> ofNode() {
    var labels = new TreeMap<String, String>();
    labels.put("nvidia.com/gfd.timestamp", "1700000000");
    labels.put("nvidia.com/gpu.machine", "Simulated-GPU-Server");
    labels.put("nvidia.com/gpu.mode", "compute");
    labels.put("nvidia.com/vgpu.present", "false");
    labels.put("nvidia.com/mps.capable", "false");
    labels.put("nvidia.com/mig.capable", board.at("mig"));
    if (!layout.at("strategy").equals("none")) {
      labels.put("nvidia.com/mig.strategy", layout.at("strategy"));
    }
    if (!board.at("clique").isEmpty()) {
      labels.put("nvidia.com/gpu.clique", board.at("clique"));
    }
    return labels;
  }

  private Map<String, String> ofDriver() {
    String[] driver = board.at("driver").split("\\.", -1);
    String[] cuda = board.at("cuda").split("\\.", -1);
    return Map.ofEntries(
        Map.entry("nvidia.com/cuda.driver.major", driver[0]),
        Map.entry("nvidia.com/cuda.driver.minor", driver[1]),
        Map.entry("nvidia.com/cuda.driver.rev", driver[2]),
        Map.entry("nvidia.com/cuda.driver-version.major", driver[0]),
        Map.entry("nvidia.com/cuda.driver-version.minor", driver[1]),
        Map.entry("nvidia.com/cuda.driver-version.revision", driver[2]),
        Map.entry("nvidia.com/cuda.driver-version.full", board.at("driver")),
        Map.entry("nvidia.com/cuda.runtime.major", cuda[0]),
        Map.entry("nvidia.com/cuda.runtime.minor", cuda[1]),
        Map.entry("nvidia.com/cuda.runtime-version.major", cuda[0]),
        Map.entry("nvidia.com/cuda.runtime-version.minor", cuda[1]),
        Map.entry("nvidia.com/cuda.runtime-version.full", board.at("cuda")));
  }

  private Map<String, String> ofGpus() {
    var labels = new TreeMap<String, String>();
    labels.put(GPU + ".family", board.at("family"));
    labels.put(GPU + ".compute.major", board.at("major"));
    labels.put(GPU + ".compute.minor", board.at("minor"));
    Row offer = OFFERS.row(Map.of("offer", layout.at("offer"), "sharing", sharing));
    switch (layout.at("shown")) {
      case "board" -> labels.put(GPU + ".memory", board.at("memory"));
      case "nothing" -> labels.put(GPU + ".memory", "0");
      default -> labels.putAll(ofMig(GPU, profile(layout.at("shown"))));
    }
    labels.putAll(offered(GPU, product(), offer));
    labels.put(GPU + ".count", layout.at("count"));
    return labels;
  }

  private String product() {
    return switch (layout.at("shown")) {
      case "board", "nothing" -> board.at("product");
      default -> product(profile(layout.at("shown")));
    };
  }

  private String product(Row profile) {
    return board.at("product") + "-MIG-" + profile.at("profile");
  }

  /// @param devices slices and count
  private Map<String, String> ofProfile(String[] devices) {
    Row profile = profile(devices[0]);
    String name = "nvidia.com/mig-" + profile.at("profile");
    String shared = isShared(profile) ? sharing : "none";
    Row offer = OFFERS.row(Map.of("offer", "offered", "sharing", shared));
    var labels = new TreeMap<>(ofMig(name, profile));
    labels.putAll(offered(name, product(profile), offer));
    labels.put(name + ".count", devices[1]);
    return labels;
  }

  private static Map<String, String> offered(String name, String product, Row offer) {
    return Map.of(
        name + ".product", product + offer.at("suffix"),
        name + ".replicas", offer.at("replicas"),
        name + ".sharing-strategy", offer.at("strategy"));
  }

  private Row profile(String slices) {
    return PROFILES.row(Map.of("board", board.at("board"), "slices", slices));
  }

  private static Map<String, String> ofMig(String name, Row profile) {
    return Map.of(
        name + ".memory", profile.at("memory"),
        name + ".multiprocessors", profile.at("multiprocessors"),
        name + ".slices.gi", profile.at("slices"),
        name + ".slices.ci", profile.at("slices"),
        name + ".engines.copy", profile.at("copy"),
        name + ".engines.decoder", profile.at("decoder"),
        name + ".engines.encoder", profile.at("encoder"),
        name + ".engines.jpeg", profile.at("jpeg"),
        name + ".engines.ofa", profile.at("ofa"));
  }

  @Override
  public String toString() {
    return "%s %s, MIG strategy %s, sharing %s"
        .formatted(board.at("board"), layout.at("layout"), layout.at("strategy"), sharing);
  }
}
