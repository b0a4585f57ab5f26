package dev.pitcrew.agent.driver.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

class OperandLabelsTest {
  @Property
  void aPauseLeavesNoTrace(
      @ForAll @AlphaChars @Chars({'-', '.'}) @StringLength(max = 30) String value) {
    var operands = new OperandLabels(Optional.of("example.com/own"));
    Map<String, String> before = Map.of("example.com/own", value);
    var labels = new HashMap<>(before);
    labels.putAll(operands.toPause(labels));
    labels.putAll(operands.toResume(labels));

    assertThat(labels).isEqualTo(before);
  }
}
