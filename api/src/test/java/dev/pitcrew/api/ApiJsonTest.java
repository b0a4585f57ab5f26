package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiJsonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'spec':{'driver':{'upgradePolicy':{'maxParallelUpgrades':'x'}}}} | spec.driver.upgradePolicy.maxParallelUpgrades is "x", but must be a whole number
          {'spec':{'driver':{'upgradePolicy':{'maxParallelUpgrades':1.5}}}} | spec.driver.upgradePolicy.maxParallelUpgrades is 1.5, but must be a whole number
          {'spec':{'driver':{'upgradePolicy':{'maxUnavailable':true}}}}     | spec.driver.upgradePolicy.maxUnavailable is true, but must be a whole number or text
          {'spec':{'driver':{'startupProbe':{'periodSeconds':3000000000}}}} | spec.driver.startupProbe.periodSeconds is 3000000000: Numeric value (3000000000) out of range of int (-2147483648 - 2147483647)
          {'spec':{'driver':{'enabled':'true'}}}                            | spec.driver.enabled is "true", but must be true or false
          {'spec':{'driver':{'version':580}}}                               | spec.driver.version is 580, but must be text
          {'spec':{'driver':{'env':[{'name':'A'},{'name':'B','value':1}]}}} | spec.driver.env[1].value is 1, but must be text
          {'spec':{'driver':{'env':[{'value':'1'}]}}}                       | spec.driver.env[0].name is missing
          {'spec':{'driver':{'args':'init'}}}                               | spec.driver.args is "init", but must be a list
          {'spec':{'daemonsets':{'labels':{'a':1}}}}                        | spec.daemonsets.labels.a is 1, but must be text
          {'spec':[]}                                                       | spec is [], but must be an object
          """)
  void aValueThatDoesNotFitIsNamedWithItsField(String json, String named) {
    assertThatExceptionOfType(UnreadableResource.class)
        .isThrownBy(() -> ApiJson.read(json.replace('\'', '"'), ClusterPolicy.class))
        .withMessage("ClusterPolicy: " + named);
  }

  @Test
  void anUnknownChoiceIsNamedWithItsField() {
    assertThatExceptionOfType(UnreadableResource.class)
        .isThrownBy(() ->
            ApiJson.read(
                "{\"spec\":{\"agent\":{\"functions\":[\"labels\",\"coffee\"]}}}",
                FleetPolicy.class))
        .withMessageStartingWith(
            "FleetPolicy: spec.agent.functions[1] is \"coffee\", but must be one of [\"labels\",");
  }

  @Test
  void textThatIsNoJsonIsRefused() {
    assertThatExceptionOfType(UnreadableResource.class)
        .isThrownBy(() -> ApiJson.read("{", ClusterPolicy.class))
        .withMessageStartingWith("ClusterPolicy is not JSON");
  }

  @Test
  void aDocumentOfMapsReadsAsItsJson() {
    Map<String, ?> document =
        Map.of("spec", Map.of("toolkit", Map.of("args", List.of("a"), "enabled", false)));

    var toolkit = ApiJson.read(document, ClusterPolicy.class).spec().toolkit();

    assertThat(toolkit.args()).containsExactly("a");
    assertThat(toolkit.isEnabled()).isFalse();
  }

  @Test
  void readObject_isImmutable() {
    var spec =
        ApiJson.read(
                "{\"spec\":{\"driver\":{\"args\":[\"a\"]},\"daemonsets\":{\"labels\":{\"a\":\"b\"}}}}",
                ClusterPolicy.class)
            .spec();

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> spec.driver().args().clear());
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> spec.daemonsets().labels().clear());
  }
}
