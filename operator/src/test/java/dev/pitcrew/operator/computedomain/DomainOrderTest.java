package dev.pitcrew.operator.computedomain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.FleetComputeDomainsSpec;
import dev.pitcrew.operator.render.Images;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DomainOrderTest {
  private static final Images NONE = new Images(Map.of());

  private static DomainOrder of(String json, Images images) {
    return DomainOrder.of(
        ApiJson.read(json.replace('\'', '"'), FleetComputeDomainsSpec.class), images);
  }

  @Test
  void offUnlessAskedFor() {
    assertThat(of("{'enabled': true, 'daemonImage': 'a'}", NONE)).isEqualTo(DomainOrder.OFF);
  }

  @Test
  void theImageIsThatOfTheFleetPolicyElseThatOfTheEnvironment() {
    var images = new Images(Map.of("DRA_DRIVER_IMAGE", "example.com/env:1"));

    assertThat(of("{'controller': true, 'daemonImage': 'example.com/a:1'}", images).image())
        .isEqualTo("example.com/a:1");
    assertThat(of("{'controller': true}", images).image()).isEqualTo("example.com/env:1");
    assertThat(of("{'controller': true}", images).problem()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'controller': true}                       | DaemonImageMissing | daemonImage is empty",
        "{'controller': true, 'daemonImage': 'a b'} | ImageInvalid       | daemonImage is \"a b\"",
      })
  void anImageThatCannotBeIsNamed(String json, String reason, String part) {
    var problem = of(json, NONE).problem().orElseThrow();

    assertThat(problem.reason()).isEqualTo(reason);
    assertThat(problem.message()).startsWith("FleetPolicy spec.dra.computeDomains.").contains(part);
  }
}
