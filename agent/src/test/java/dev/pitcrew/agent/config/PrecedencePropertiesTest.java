package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.sharing.MigStrategy;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class PrecedencePropertiesTest {

  @Property
  void strongestWordWins(
      @ForAll Optional<MigStrategy> flag,
      @ForAll Optional<MigStrategy> variable,
      @ForAll Optional<MigStrategy> file) {
    var flags = new HashMap<String, List<String>>();
    flag.ifPresent(value -> flags.put("mig-strategy", List.of(text(value))));
    var variables = new HashMap<String, String>();
    variable.ifPresent(value -> variables.put("MIG_STRATEGY", text(value)));
    String content = file.map(value -> "flags: {migStrategy: " + text(value) + "}").orElse("");

    var config =
        Configs.accepted(
            ConfigParser.parse(Program.PLUGIN, new ConfigSources(flags, variables, content)));

    assertThat(config.config().migStrategy())
        .isEqualTo(flag.or(() -> variable).or(() -> file).orElse(MigStrategy.NONE));
  }

  @Property
  void anyTextIsReadOrRefusedButNeverBreaks(@ForAll String file) {
    assertThat(ConfigParser.parse(Program.LABELS, new ConfigSources(Map.of(), Map.of(), file)))
        .isNotNull();
  }

  @Property
  void anyVariableIsReadOrRefusedButNeverBreaks(@ForAll String value) {
    var variables = new HashMap<String, String>();
    FlagTable.all().forEach(flag -> flag.environment().forEach(name -> variables.put(name, value)));

    assertThat(ConfigParser.parse(Program.PLUGIN, new ConfigSources(Map.of(), variables, "")))
        .isNotNull();
  }

  private static String text(MigStrategy strategy) {
    return strategy.name().toLowerCase(Locale.ROOT);
  }
}
