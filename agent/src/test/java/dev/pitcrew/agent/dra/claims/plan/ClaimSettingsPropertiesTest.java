package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Result;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Setting;
import dev.pitcrew.agent.dra.claims.plan.ClaimSettings.Verdict;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Any user may write any settings into a claim.
class ClaimSettingsPropertiesTest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final List<String> NAMES =
      List.of(
          "apiVersion",
          "kind",
          "sharing",
          "strategy",
          "timeSlicingConfig",
          "interval",
          "mpsConfig",
          "defaultActiveThreadPercentage",
          "defaultPinnedDeviceMemoryLimit",
          "defaultPerDevicePinnedMemoryLimit",
          "multiUser",
          "iommu",
          "backendPolicy",
          "colour",
          "");
  private static final List<JsonNode> VALUES =
      List.of(
          NODES.textNode("resource.nvidia.com/v1beta1"),
          NODES.textNode("GpuConfig"),
          NODES.textNode("MigDeviceConfig"),
          NODES.textNode("VfioDeviceConfig"),
          NODES.textNode("TimeSlicing"),
          NODES.textNode("MPS"),
          NODES.textNode("Long"),
          NODES.textNode("4Gi"),
          NODES.textNode("x".repeat(5000)),
          NODES.textNode("\u0000\n"),
          NODES.nullNode(),
          NODES.booleanNode(true),
          NODES.numberNode(50),
          NODES.numberNode(new BigDecimal("1e400")),
          NODES.arrayNode());

  @Property(tries = 100_000)
  void anyTree_hasAVerdict(@ForAll long seed) {
    Verdict verdict = verdict(tree(new Random(seed), 0));
    if (verdict instanceof Verdict.Refused(var reason)) {
      assertThat(reason).startsWith("f").hasSizeLessThan(800).doesNotContain("\n");
    }
  }

  private static JsonNode tree(Random random, int depth) {
    if (depth > 4 || (depth > 0 && random.nextInt(3) == 0)) {
      return VALUES.get(random.nextInt(VALUES.size()));
    }
    ObjectNode object = NODES.objectNode();
    if (depth == 0 && random.nextInt(8) > 0) {
      object.put("apiVersion", "resource.nvidia.com/v1beta1");
      object.set("kind", VALUES.get(1 + random.nextInt(3)));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      object.set(NAMES.get(random.nextInt(NAMES.size())), tree(random, depth + 1));
    }
    return object;
  }

  @Example
  void emptyTimeSlicingConfig_isAnAnswerAndNoCrash() {
    ObjectNode parameters = NODES.objectNode();
    parameters.put("apiVersion", "resource.nvidia.com/v1beta1").put("kind", "GpuConfig");
    parameters.putObject("sharing").put("strategy", "TimeSlicing").putObject("timeSlicingConfig");

    assertThat(verdict(parameters))
        .isEqualTo(
            new Verdict.Refused(
                "f.sharing.strategy is 'TimeSlicing', which this driver does not provide yet: remove sharing, or share a node's GPUs by the device plugin"));
  }

  private static Verdict verdict(JsonNode parameters) {
    var claim =
        new AllocatedClaim(
            "team",
            "c",
            "u",
            NODES.objectNode(),
            List.of(new Result("r", "r", "node-a", "gpu-0", Optional.empty(), false)),
            List.of(new Setting("f", List.of(), parameters)));
    return ClaimSettings.verdict(claim, Map.of());
  }
}
