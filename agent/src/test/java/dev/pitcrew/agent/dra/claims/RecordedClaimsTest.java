package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Prepared;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Unprepared;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Recordings of NVIDIA's DRA driver, played step by step: what the kubelet is answered, the
/// checkpoint, its bytes included, and the CDI specifications. Texts of errors are not compared,
/// only whether there is one.
class RecordedClaimsTest {
  private static final ObjectMapper JSON = ClaimNode.JSON;
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final JsonNode NONE = JSON.createObjectNode();
  private static final int GPUS = 8;
  private static final String GOLDEN_UID = "f691a911-2c59-48af-813a-a388286d6ae8";
  private static final String OTHER_BOOT = "cccccccc-1111-4222-8333-dddddddddddd";

  @TempDir private Path folder;
  private @Nullable ClaimNode created;
  private @Nullable ClaimPreparer started;
  private final Map<String, ObjectNode> claims = new HashMap<>();
  private String boot = ClaimNode.BOOT;
  private boolean isGolden;
  private int compared;

  @ParameterizedTest
  @CsvSource({
    "prepare-one, 11",
    "prepare-overlap, 12",
    "prepare-two-requests, 20",
    "cp-golden, 5",
    "cp-empty-v1, 2",
    "cp-boot, 4",
    "mig-static-prepare, 12",
    "config-errors, 11",
  })
  void recordedSteps_haveTheSameResults(String name, int atLeast) throws IOException {
    JsonNode recording = read(name);
    isGolden = name.equals("cp-golden");
    var layout = new StringJoiner("\n");
    recording.path("migStateBefore").forEach(line -> layout.add(line.asText()));
    created = ClaimNode.create(folder, GPUS, layout.toString());
    started = node().start(boot);
    for (JsonNode step : recording.path("steps")) {
      play(step);
    }
    System.out.printf("%s: %d values are equal%n", name, compared);
    assertThat(compared).isGreaterThanOrEqualTo(atLeast);
  }

  private ClaimNode node() {
    return Objects.requireNonNull(created);
  }

  private ClaimPreparer driver() {
    return Objects.requireNonNull(started);
  }

  private static JsonNode read(String name) throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            RecordedClaimsTest.class.getResourceAsStream("/dra/" + name + ".json"))) {
      return JSON.readTree(file);
    }
  }

  private void play(JsonNode step) throws IOException {
    JsonNode action = step.path("do");
    JsonNode got = step.path("got");
    String word = action.isTextual() ? action.asText() : action.fieldNames().next();
    switch (word) {
      case "start" -> {
        started = node().start(boot);
        driver().devices();
      }
      case "allocated claim" -> allocate(action.path(word));
      case "prepare" -> prepare(action.path(word), got.path("claims"));
      case "unprepare" -> unprepare(action.path(word), got.path("claims"));
      case "state on the node" -> compareState(got);
      case "the node has rebooted (another boot id)" -> boot = OTHER_BOOT;
      case "file is written" ->
          Files.writeString(
              Files.createDirectories(node().folder).resolve("checkpoint.json"),
              action.path("text").asText());
      case "a block \"v3\": {\"x\": 1} is added to the checkpoint" ->
          Files.writeString(
              node().folder.resolve("checkpoint.json"),
              node().checkpoint().replaceFirst("}$", ", \"v3\": {\"x\": 1}}"));
      case "stop (SIGTERM)", "GetInfo", "NotifyRegistrationStatus", "metrics" -> {
        // Not of claims.
      }
      default -> throw new AssertionError("unknown step " + word);
    }
  }

  private void allocate(JsonNode claim) {
    String name = claim.path("name").asText();
    ObjectNode made =
        ClaimNode.claim(
            name, claim.path("ns").asText("team"), claim.path("devices"), claim.path("config"));
    if (isGolden) {
      // The checksums of the recording hold for its UID only.
      ((ObjectNode) made.path("metadata")).put("uid", GOLDEN_UID);
    }
    claims.put(name, made);
  }

  private void prepare(JsonNode names, JsonNode expected) {
    for (JsonNode name : names) {
      JsonNode answer = expected.path("<uid:%s>".formatted(name.asText()));
      if (answer.isMissingNode()) {
        answer = expected.path(GOLDEN_UID);
      }
      switch (driver().prepare(Objects.requireNonNull(claims.get(name.asText())))) {
        case Prepared.Refused(var reason) -> {
          System.out.printf("  %s: %s%n", name.asText(), reason);
          assertThat(answer.path("error").asText()).as(reason).isNotEmpty();
          compared++;
        }
        case Prepared.Devices(var devices) ->
            compare(name.asText(), answers(devices), answer.path("devices"));
      }
    }
  }

  private static ArrayNode answers(List<PreparedClaim.Device> devices) {
    ArrayNode answers = JSON.createArrayNode();
    for (PreparedClaim.Device device : devices) {
      ObjectNode one = answers.addObject();
      ArrayNode ids = one.putArray("cdiDeviceIds");
      device.cdiIds().forEach(ids::add);
      one.put("deviceName", device.name()).put("poolName", device.pool());
      ArrayNode requests = one.putArray("requestNames");
      device.requests().forEach(requests::add);
    }
    return answers;
  }

  private void unprepare(JsonNode names, JsonNode expected) {
    for (JsonNode name : names) {
      boolean isDone = driver().unprepare(uid(name.asText())) instanceof Unprepared.Done;
      assertThat(isDone).isEqualTo(expected.iterator().next().path("error").asText().isEmpty());
      compared++;
    }
  }

  private void compareState(JsonNode got) throws IOException {
    if (got.has("checkpointRaw")) {
      String expected = got.path("checkpointRaw").asText().replace("<boot id>", boot);
      if (expected.contains("v3")) {
        assertThat(JSON.readTree(node().checkpoint())).isEqualTo(JSON.readTree(expected));
      } else {
        assertThat(node().checkpoint()).isEqualTo(expected);
      }
      compared++;
    }
    if (got.has("checkpoint")) {
      compare("checkpoint", masked(JSON.readTree(node().checkpoint())), got.path("checkpoint"));
    }
    if (got.has("cdi")) {
      compareSpecifications(got.path("cdi"));
    }
  }

  private JsonNode masked(JsonNode checkpoint) throws IOException {
    JsonNode own = JSON.readTree(withNames(checkpoint.toString()));
    mask(own);
    return own;
  }

  private static void mask(JsonNode checkpoint) {
    ((ObjectNode) checkpoint).put("checksum", "<checksum>");
    ((ObjectNode) checkpoint.path("v2")).put("checksum", "<checksum>");
  }

  /// The UUIDs of MIG devices are the recording's.
  private static String withoutParts(String text) {
    return text.replaceAll("MIG-[0-9a-f-]{36}", "MIG-");
  }

  private String uid(String claim) {
    return Objects.requireNonNull(claims.get(claim)).at("/metadata/uid").asText();
  }

  private String withNames(String text) {
    if (isGolden) {
      return text;
    }
    String named = text.replace(ClaimNode.BOOT, "<boot id>");
    for (String name : claims.keySet()) {
      named = named.replace(uid(name), "<uid:%s>".formatted(name));
    }
    return named;
  }

  /// The files by name, each with its kind, version and devices; what all containers get is
  /// compared by its variables, device files and hooks.
  private void compareSpecifications(JsonNode expected) throws IOException {
    // NVIDIA's driver leaves the files of an earlier boot.
    JsonNode kept = boot.equals(OTHER_BOOT) && driver().devices().isEmpty() ? NONE : expected;
    var files = new TreeMap<String, JsonNode>();
    if (Files.isDirectory(node().cdi)) {
      try (var all = Files.newDirectoryStream(node().cdi)) {
        for (Path file : all) {
          files.put(
              withNames(file.getFileName().toString()),
              YAML.readTree(withNames(Files.readString(file))));
        }
      }
    }
    assertThat(files.keySet())
        .containsExactlyInAnyOrderElementsOf(
            kept.properties().stream().map(Map.Entry::getKey).toList());
    files.forEach((name, file) -> {
      JsonNode recorded = expected.path(name);
      compare(name, file.path("kind"), recorded.path("kind"));
      compare(name, file.path("cdiVersion"), recorded.path("cdiVersion"));
      assertThat(nodes(file.path("devices"))).as(name).isEqualTo(nodes(recorded.path("devices")));
      assertThat(file.at("/containerEdits/env").toString()).contains("NVIDIA_VISIBLE_DEVICES=void");
      assertThat(file.at("/containerEdits/deviceNodes").findValuesAsText("path"))
          .containsExactlyInAnyOrder(
              "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidiactl");
      compared += 3;
    });
  }

  /// The device files of each device, with their places on the host.
  private static Map<String, String> nodes(JsonNode devices) {
    var nodes = new TreeMap<String, String>();
    for (JsonNode device : devices) {
      var files = new StringBuilder();
      for (JsonNode file : device.at("/containerEdits/deviceNodes")) {
        String path = file.path("path").asText();
        // Where the agent makes the capability files, which is the driver root here.
        boolean isCapability = path.startsWith("/dev/nvidia-caps/");
        files.append(path).append('=');
        files.append(isCapability ? "" : file.path("hostPath").asText()).append(' ');
      }
      nodes.put(device.path("name").asText(), files.toString());
    }
    return nodes;
  }

  private void compare(String what, JsonNode own, JsonNode recorded) {
    JsonNode named;
    JsonNode masked;
    try {
      named = JSON.readTree(withoutParts(withNames(own.toString())));
      masked = JSON.readTree(withoutParts(recorded.toString()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    assertThat(named).as(what).isEqualTo(masked);
    compared++;
  }
}
