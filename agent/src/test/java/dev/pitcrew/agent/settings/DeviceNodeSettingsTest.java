package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentPolicy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the variables of toolkit and validator say about device nodes.
class DeviceNodeSettingsTest {
  @ParameterizedTest
  @CsvSource({
    "toolkit,   CREATE_DEVICE_NODES, control, true, true",
    "toolkit,   CREATE_DEVICE_NODES, none, false, true",
    "toolkit,   DISABLE_DEV_CHAR_SYMLINK_CREATION, true, true, true",
    "validator, DISABLE_DEV_CHAR_SYMLINK_CREATION, true, true, false",
    "validator, DISABLE_DEV_CHAR_SYMLINK_CREATION, 1, true, false",
    "validator, DISABLE_DEV_CHAR_SYMLINK_CREATION, no, true, true",
    "validator, CREATE_DEVICE_NODES, none, true, true",
  })
  void nodesAreTheToolkitsAndLinksAreTheValidatorsUnlessTheySayOtherwise(
      String operand, String name, String value, boolean nodes, boolean links) {
    var env = "\"env\": [{\"name\": \"%s\", \"value\": \"%s\"}]".formatted(name, value);

    assertThat(of("{\"%s\": {%s}}".formatted(operand, env)))
        .isEqualTo(new DeviceNodeSettings(nodes, links));
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  void theDriverPartOfTheValidatorComesBeforeTheWhole(String value, boolean links) {
    var name = "DISABLE_DEV_CHAR_SYMLINK_CREATION";

    assertThat(
            of(
                """
                {"validator": {
                  "driver": {"env": [{"name": "%s", "value": "%s"}]},
                  "env": [{"name": "%s", "value": "true"}]}}
                """
                    .formatted(name, value, name)))
        .isEqualTo(new DeviceNodeSettings(true, links));
  }

  private static DeviceNodeSettings of(String policy) {
    return DeviceNodeSettings.of(ApiJson.read(policy, AgentPolicy.class));
  }
}
