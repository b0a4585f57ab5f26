package dev.pitcrew.agent.dra.domains.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.TestClaim;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.device.dra.DomainDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The settings of claims for ComputeDomains.
class DomainPlanTest {
  private static DomainPlan.Planned plan(String device, String... settings) {
    var config = new StringBuilder();
    for (String one : settings) {
      config
          .append(config.isEmpty() ? "" : ",")
          .append(
              "{\"source\":\"FromClaim\",\"driver\":\"compute-domain.nvidia.com\",\"parameters\":{\"apiVersion\":\"resource.nvidia.com/v1beta1\"%s}}"
                  .formatted(one.replace('\'', '"')));
    }
    ClaimObject claim =
        TestClaim.of(
            Facts.parse(
                "{\"name\":\"c\",\"devices\":[{\"request\":\"r\",\"driver\":\"compute-domain.nvidia.com\",\"device\":\"%s\"}],\"config\":[%s]}"
                    .formatted(device, config)),
            "uid");
    return ClaimAllocation.of(claim, DomainDevice.DRIVER, "node-a")
            instanceof ClaimAllocation.Reading.Allocated(var allocation)
        ? DomainPlan.of(claim, allocation)
        : new DomainPlan.Planned.Refused("not allocated");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u' | false",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u', 'allocationMode': 'Single' | false",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u', 'allocationMode': '' | false",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u', 'allocationMode': 'All' | true",
      })
  void channelsAreOneOrAll(String settings, boolean isAll) {
    assertThat(plan("channel-0", settings))
        .isInstanceOfSatisfying(
            DomainPlan.Planned.Ready.class,
            it -> {
              assertThat(it.plan().domain()).isEqualTo("u");
              assertThat(it.plan().devices().getFirst().allChannels()).isEqualTo(isAll);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ", 'kind': 'ComputeDomainChannelConfig' | domainID is missing",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': '../../x' | domainID is \"../../x\"",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': '' | domainID is \"\"",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 7 | domainID is 7",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u', 'colour': 'red' | unknown field colour",
        ", 'kind': 'ComputeDomainChannelConfig', 'domainID': 'u', 'allocationMode': 'Two' | allocationMode is \"Two\"; allowed: Single, All",
        ", 'kind': 'ComputeDomainDaemonConfig', 'domainID': 'u' | no settings name its ComputeDomain",
        ", 'kind': 'GpuConfig' | kind is \"GpuConfig\"; allowed: ComputeDomainChannelConfig, ComputeDomainDaemonConfig",
        ", 'domainID': 'u' | kind is missing",
      })
  void wrongSettingsAreRefusedWithTheirField(String settings, String reason) {
    assertThat(plan("channel-0", settings))
        .isInstanceOfSatisfying(
            DomainPlan.Planned.Refused.class,
            it -> assertThat(it.reason()).contains("team/c", reason));
  }

  @Test
  void lastSettingsApply() {
    String kind = ", 'kind': 'ComputeDomainChannelConfig', 'domainID': '%s'";
    assertThat(plan("channel-0", kind.formatted("first"), kind.formatted("second")))
        .isInstanceOfSatisfying(
            DomainPlan.Planned.Ready.class,
            it -> assertThat(it.plan().domain()).isEqualTo("second"));
  }

  @Test
  void claimWithoutSettingsIsRefused() {
    assertThat(plan("channel-0"))
        .isInstanceOfSatisfying(
            DomainPlan.Planned.Refused.class,
            it -> assertThat(it.reason()).contains("ComputeDomainChannelConfig with domainID"));
  }
}
