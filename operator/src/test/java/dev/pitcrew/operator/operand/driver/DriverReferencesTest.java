package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.Drivers;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An edit of a ConfigMap that no pod mounts must not count as one of the driver's.
class DriverReferencesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "usePrecompiled: false | repos certs topology parameters licence",
        "usePrecompiled: true  | topology parameters licence",
        "licensingConfig: {secretName: token, name: licence} | repos certs topology parameters",
      })
  void onlyWhatPodsAreMadeWithCounts(String more, String used) {
    var spec =
        Drivers.from(
            "{repoConfig: {name: repos}, certConfig: {name: certs}, virtualTopologyConfig: {name: topology}, kernelModuleConfig: {name: parameters}, %s%s}"
                .formatted(
                    more.contains("licensing") ? "" : "licensingConfig: {name: licence}, ", more));

    assertThat(DriverSettings.of(spec).used().configMaps())
        .containsExactlyInAnyOrderElementsOf(Arrays.asList(used.split(" ")));
  }
}
