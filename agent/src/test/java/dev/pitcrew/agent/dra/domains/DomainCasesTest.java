package dev.pitcrew.agent.dra.domains;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.TestClaim;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.PreparedDevice;
import dev.pitcrew.agent.dra.domains.plan.ImexSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Claims for ComputeDomains are prepared and unprepared as NVIDIA's DRA driver did it. Where the
/// case says what is better, that is expected: an answer with a reason in place of none.
class DomainCasesTest {
  private static final String PLUGIN = "/var/lib/kubelet/plugins/compute-domain.nvidia.com";

  /// Its node was labelled for a channel that was never announced, which is refused here.
  private static final String REFUSALS = "cd-channel-errors";

  private static final YAMLMapper YAML = new YAMLMapper();

  /// So that a claim that waits in the recording ends here, too.
  private static final Duration SHORT = Duration.ofMillis(200);

  @TempDir private Path folder;
  private DomainBed bed;
  private DomainPreparer preparer;
  private final Map<String, ClaimObject> claims = new HashMap<>();
  private String done = "";
  private int compared;

  @BeforeEach
  void start() {
    bed = new DomainBed(folder);
    preparer = bed.preparer();
  }

  @AfterEach
  void end() {
    bed.close();
  }

  /// @param values as many as the case has at least, so that no step is passed over
  @ParameterizedTest
  @CsvSource({"cd-channel, 60", "cd-channel-errors, 20", "cd-daemon, 60"})
  void claimsArePreparedAsRecorded(String id, int values) throws IOException {
    for (JsonNode step : Facts.read(id).path("steps")) {
      JsonNode action = step.path("do");
      done = action.toString();
      if (action.isTextual()) {
        named(id, action.asText(), step.path("got"));
      } else {
        String verb = action.fieldNames().next();
        act(verb, action.path(verb), action, step.path("got"));
      }
    }
    assertThat(compared).isGreaterThanOrEqualTo(values);
  }

  private void named(String id, String what, JsonNode got) {
    switch (what) {
      case "node labels" ->
          same(bed.objects.label().orElse(""), id.equals(REFUSALS) ? "" : label(got));
      case "settings in the template" -> {
        ArrayNode lines = JsonNodeFactory.instance.arrayNode();
        ImexSettings.text()
            .lines()
            .map(line -> line.replace("{{.IMEXCmdBindInterfaceIP}}", "<address of the pod>"))
            .forEach(lines::add);
        same(lines, got);
      }
      default -> throw new AssertionError("unknown step " + what);
    }
  }

  private static String label(JsonNode got) {
    return got.path("resource.nvidia.com/computeDomain")
        .asText()
        .replace("<uid:dom>", DomainBed.DOMAIN);
  }

  private void act(String verb, JsonNode what, JsonNode action, JsonNode got) throws IOException {
    switch (verb) {
      case "start" -> {}
      case "created" -> bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
      case "patch" -> bed.objects.status(DomainBed.STATUS, action.at("/body/status"));
      case "allocated claim" ->
          claims.put(
              what.path("name").asText(),
              TestClaim.of(
                  Facts.parse(what.toString().replace("<uid:dom>", DomainBed.DOMAIN)),
                  "0a1b2c3d-0000-4000-8000-%012d".formatted(claims.size())));
      case "prepare" -> prepare(what.path(0).asText(), got);
      case "unprepare" ->
          assertThat(preparer.unprepare(claim(what.path(0).asText()).uid()))
              .isInstanceOf(UnprepareOutcome.Unprepared.class);
      case "state on the node" -> what.forEach(part -> state(part.asText(), got));
      default -> throw new AssertionError("unknown step " + verb);
    }
  }

  private ClaimObject claim(String name) {
    return Optional.ofNullable(claims.get(name)).orElseThrow();
  }

  private void prepare(String name, JsonNode got) {
    JsonNode expected = got.path("claims").path("<uid:" + name + ">");
    boolean isRefused = expected.isMissingNode() || !expected.path("error").asText().isEmpty();
    Duration left = isRefused ? SHORT : DomainBed.LONG;
    switch (preparer.prepare(claim(name), DomainBed.node(), left)) {
      case PrepareOutcome.Prepared(var devices) -> {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode array = answer.putArray("devices");
        devices.forEach(device -> array.add(answer(device)));
        same(masked(answer), masked(((ObjectNode) expected).without("error")));
      }
      case PrepareOutcome.Refused(var reason) -> refused(reason, name, isRefused);
      case PrepareOutcome.NotReady(var reason) -> throw new AssertionError(reason);
      case PrepareOutcome.Failed(var reason) -> refused(reason, name, isRefused);
    }
  }

  private void refused(String reason, String name, boolean expected) {
    assertThat(expected).as("%s: %s", done, reason).isTrue();
    assertThat(reason).contains("/" + name);
    compared += 2;
  }

  private static ObjectNode answer(PreparedDevice device) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    device.cdiIds().forEach(node.putArray("cdiDeviceIds")::add);
    node.put("deviceName", device.device()).put("poolName", device.pool());
    device.requests().forEach(node.putArray("requestNames")::add);
    return node;
  }

  private void state(String part, JsonNode got) {
    switch (part) {
      case "checkpoint" -> {
        ObjectNode expected = (ObjectNode) masked(got.path("checkpoint"));
        // Go has written an empty map where it has had one before.
        if (expected.at("/v1/preparedClaims").isEmpty()) {
          ((ObjectNode) expected.path("v1")).remove("preparedClaims");
        }
        same(
            masked(Facts.parse(read(bed.checkpoint()).replace(DomainBed.BOOT, "<boot id>"))),
            expected);
      }
      case "cdi" -> {
        ObjectNode expected = (ObjectNode) masked(got.path("cdi"));
        expected.remove("k8s.compute-domain.nvidia.com-device_base.yaml");
        same(masked(cdi()), expected);
      }
      case "dir" ->
          got.path("dir")
              .valueStream()
              .map(JsonNode::asText)
              .filter(line -> !line.endsWith("pu.lock") && !line.endsWith("dra.sock"))
              .forEach(line -> {
                String[] words =
                    line.replace("<uid:dom>", DomainBed.DOMAIN)
                        .replace(PLUGIN, bed.plugin().toString())
                        .split(" ", 2);
                same(mode(Path.of(words[1])), words[0]);
              });
      default -> throw new AssertionError("unknown part " + part);
    }
  }

  private ObjectNode cdi() {
    ObjectNode found = JsonNodeFactory.instance.objectNode();
    for (String name : bed.cdiFiles()) {
      Path file = bed.cdi().resolve(name);
      ObjectNode one = found.putObject(name);
      one.put("fileMode", mode(file)).put("format", "yaml");
      try {
        one.setAll((ObjectNode) YAML.readTree(file.toFile()));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return found;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String mode(Path file) {
    try {
      return "0o%o".formatted((int) Files.getAttribute(file, "unix:mode") & 0777);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode masked(JsonNode tree) {
    String text =
        tree.toString()
            .replaceAll("\"checksum\":\\d+", "\"checksum\":\"<checksum>\"")
            .replace(DomainBed.DOMAIN, "<uid:dom>");
    for (Map.Entry<String, ClaimObject> claim : claims.entrySet()) {
      text = text.replace(claim.getValue().uid(), "<uid:" + claim.getKey() + ">");
    }
    return Facts.parse(text);
  }

  private void same(Object actual, Object expected) {
    assertThat(actual).as(done).isEqualTo(expected);
    compared += expected instanceof JsonNode tree ? leaves(tree) : 1;
  }

  private static int leaves(JsonNode tree) {
    Stream<JsonNode> parts = tree.valueStream();
    return tree.isValueNode() || tree.isEmpty() ? 1 : parts.mapToInt(DomainCasesTest::leaves).sum();
  }
}
