package dev.pitcrew.operator.computedomain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.computedomain.Domain.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DomainTest {
  @Test
  void aDomainThatSaysNothingMoreHasOneChannelAndWaitsForNoNode() {
    assertThat(Domains.read("{channel: {resourceClaimTemplate: {name: my.channel-1}}}"))
        .isEqualTo(
            new Reading.Valid(new Domain(Domains.UID, "team", "dom", 0, "my.channel-1", "Single")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{numNodes: 1}                                                    | spec.channel.resourceClaimTemplate.name | empty",
        "{channel: {resourceClaimTemplate: {name: My_Channel}}}           | spec.channel.resourceClaimTemplate.name | My_Channel",
        "{numNodes: -1, channel: {resourceClaimTemplate: {name: c}}}      | spec.numNodes                           | -1",
        "{channel: {resourceClaimTemplate: {name: c}, allocationMode: A}} | spec.channel.allocationMode             | Single or All",
      })
  void badInputIsNamedWithItsValueAndARemedy(String spec, String field, String value) {
    assertThat(Domains.read(spec)).isInstanceOf(Reading.Invalid.class);
    if (Domains.read(spec) instanceof Reading.Invalid(var problem)) {
      assertThat(problem.reason()).isEqualTo("SpecInvalid");
      assertThat(problem.message()).startsWith(field).contains(value, "create it again");
    }
  }
}
