package dev.pitcrew.agent.mig.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuClientsParserTest {

  @Test
  void servicesKeepTheirOrder() {
    String file = "version: v1\nsystemd-services:\n- nvidia-dcgm.service\n- a@b.service\n";

    assertThat(GpuClientsParser.parse(file))
        .isEqualTo(new GpuClients.Named(List.of("nvidia-dcgm.service", "a@b.service")));
    assertThat(GpuClientsParser.parse("version: v1\n")).isEqualTo(new GpuClients.Named(List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                            | f:1:1: unknown version:
          'version: [v1'                                | f:1:13: no YAML: expected ',' or ']', but got <stream end>
          'systemd-services: []'                        | f:1:1: unable to parse with missing 'version' field
          'version: v2'                                 | f:1:10: version: unknown version: v2
          '{version: v1, services: []}'                 | f:1:25: services: unexpected field: services
          '{version: v1, systemd-services: a}'          | f:1:33: systemd-services: must be a list, not 'a'
          '{version: v1, systemd-services: [--now]}'    | f:1:34: systemd-services[0]: must be a unit of systemd, not '--now'
          '{version: v1, systemd-services: [a, "b c"]}' | f:1:37: systemd-services[1]: must be a unit of systemd, not 'b c'
          """)
  void mistakesAreNamedWithTheirPlace(String file, String said) {
    assertThat(GpuClientsParser.parse(file))
        .isInstanceOfSatisfying(
            GpuClients.Rejected.class,
            rejected -> assertThat(rejected.problem().text("f").strip()).isEqualTo(said));
  }
}
