package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder.Decoded;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/// Any user may write settings: none makes the decoder throw, and each refusal has a short text.
class SettingsPropertiesTest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final AtomicInteger ACCEPTED = new AtomicInteger();
  private static final AtomicInteger REFUSED = new AtomicInteger();

  private static final List<String> NAMES =
      List.of(
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
          "enableAPIDevice",
          "0",
          "",
          "\u0000\ud800");

  private static final List<String> WORDS =
      List.of(
          "TimeSlicing",
          "MPS",
          "Short",
          "Eternal",
          "LegacyOnly",
          "1Gi",
          "1e999999999",
          "-1",
          "",
          "9".repeat(5000),
          "\ud800\n");

  private static final List<JsonNode> NUMBERS =
      List.of(
          NODES.numberNode(7),
          NODES.numberNode(-1),
          NODES.numberNode(Long.MAX_VALUE),
          NODES.numberNode(BigInteger.TEN.pow(400)),
          NODES.numberNode(new BigDecimal("1e1000000000")),
          NODES.numberNode(new BigDecimal("1e-1000000000")),
          NODES.numberNode(Double.NaN),
          NODES.numberNode(Double.POSITIVE_INFINITY),
          NODES.numberNode(1.5));

  @Property(tries = 100_000, shrinking = ShrinkingMode.OFF)
  void noSettingsMakeTheDecoderThrow(@ForAll long seed) {
    var random = new Random(seed);
    JsonNode tree = random.nextInt(20) == 0 ? tree(random, 4) : settings(random);

    Decoded decoded =
        new SettingsDecoder(new FeatureSwitches(random.nextBoolean(), random.nextBoolean(), false))
            .decode(tree);

    switch (decoded) {
      case Decoded.Accepted _ -> ACCEPTED.incrementAndGet();
      case Decoded.Invalid(_, var problem) -> check(problem);
      case Decoded.Malformed(var problem) -> check(problem);
    }
  }

  private static void check(SettingsProblem problem) {
    REFUSED.incrementAndGet();
    assertThat(problem.text()).isNotBlank().hasSizeLessThan(500).doesNotContain("\n");
  }

  @AfterContainer
  static void bothKindsOfResultsWereSeen() {
    System.out.printf("settings: %s accepted, %s refused%n", ACCEPTED, REFUSED);
    assertThat(ACCEPTED.get()).isGreaterThan(100);
    assertThat(REFUSED.get()).isGreaterThan(10_000);
  }

  private static JsonNode settings(Random random) {
    ObjectNode root = NODES.objectNode();
    root.put("apiVersion", "resource.nvidia.com/v1beta1");
    root.put("kind", pick(random, List.of("GpuConfig", "MigDeviceConfig", "VfioDeviceConfig")));
    root.set(random.nextInt(4) == 0 ? "iommu" : "sharing", sharing(random));
    return root;
  }

  private static JsonNode sharing(Random random) {
    if (random.nextInt(5) == 0) {
      return tree(random, 3);
    }
    ObjectNode sharing = NODES.objectNode();
    sharing.set("strategy", random.nextInt(3) == 0 ? tree(random, 1) : word(random));
    if (random.nextBoolean()) {
      sharing.set(pick(random, NAMES), tree(random, 3));
    }
    return sharing;
  }

  private static JsonNode word(Random random) {
    return NODES.textNode(pick(random, WORDS));
  }

  private static JsonNode tree(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 8)) {
      case 0 -> NODES.nullNode();
      case 1 -> NODES.booleanNode(random.nextBoolean());
      case 2 -> pick(random, NUMBERS);
      case 3 -> word(random);
      case 4 -> random.nextInt(50) == 0 ? deep() : NODES.missingNode();
      case 5 -> {
        ArrayNode array = NODES.arrayNode();
        array.add(tree(random, depth - 1));
        yield array;
      }
      default -> {
        ObjectNode object = NODES.objectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          object.set(pick(random, NAMES), tree(random, depth - 1));
        }
        yield object;
      }
    };
  }

  private static JsonNode deep() {
    JsonNode node = NODES.objectNode();
    for (int i = 0; i < 20_000; i++) {
      ArrayNode outer = NODES.arrayNode();
      outer.add(node);
      node = outer;
    }
    return node;
  }

  private static <T> T pick(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
