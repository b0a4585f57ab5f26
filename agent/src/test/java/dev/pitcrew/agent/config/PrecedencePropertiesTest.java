package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;

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

  /// For all flags of the table, by where the value comes from.
  @Property
  void strongestSourceOfAnyFlagWins(
      @ForAll("settings") Setting<?> setting,
      @ForAll Program program,
      @ForAll boolean hasFlag,
      @ForAll boolean hasVariables,
      @ForAll boolean hasFile) {
    Flag flag = setting.flag();
    var flags = new HashMap<String, List<String>>();
    var variables = new HashMap<String, String>();
    var file = new HashMap<String, List<String>>();
    var expected = new ArrayDeque<String>();
    if (hasFile && !flag.fileKey().isEmpty()) {
      file.put(flag.fileKey(), List.of("1"));
      expected.push(flag.fileKey());
    }
    if (hasVariables) {
      flag.environment().forEach(name -> variables.put(name, "1"));
      flag.environment(program).stream().limit(flag.isFor(program) ? 1 : 0).forEach(expected::push);
    }
    if (hasFlag) {
      flags.put(flag.name(), List.of("1"));
      Stream.of("--" + flag.name()).filter(_ -> flag.isFor(program)).forEach(expected::push);
    }
    var sources = new ConfigSources(flags, variables, "");

    var layers = new Layers(program, sources, file, new Findings());

    assertThat(layers.said(setting).map(Layers.Said::where))
        .isEqualTo(Optional.ofNullable(expected.peek()));
  }

  @Provide
  Arbitrary<Setting<?>> settings() {
    return Arbitraries.of(Setting.all().toList());
  }

  @Property
  void anyTextIsReadOrRefusedWithAReason(@ForAll String file) {
    assertIsReadOrRefused(
        ConfigParser.parse(Program.LABELS, new ConfigSources(Map.of(), Map.of(), file)));
  }

  @Property
  void anyPlainScalarIsReadAsSoManyReplicasOrRefusedWithAReason(
      @ForAll @CharRange(from = '-', to = ':') @Chars({'_', 'x', 'e', 'b', 'o'}) String scalar) {
    String file =
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: %s }]}}".formatted(scalar);

    ParsedConfig parsed =
        ConfigParser.parse(Program.LABELS, new ConfigSources(Map.of(), Map.of(), file));

    assertIsReadOrRefused(parsed);
    if (parsed instanceof ParsedConfig.Accepted(var config, _)) {
      assertThat(config.sharing().resources())
          .allSatisfy(resource -> assertThat(resource.replicas()).isPositive());
    }
    if (scalar.matches("[2-9]|[1-9][0-9]{1,2}")) {
      assertThat(Configs.accepted(parsed).config().sharing().resources())
          .extracting(Sharing.SharedResource::replicas)
          .containsExactly(Integer.valueOf(scalar));
    }
  }

  @Property
  void anyVariableIsReadOrRefusedWithAReason(@ForAll String value) {
    var variables = new HashMap<String, String>();
    FlagTable.all().forEach(flag -> flag.environment().forEach(name -> variables.put(name, value)));

    assertIsReadOrRefused(
        ConfigParser.parse(Program.PLUGIN, new ConfigSources(Map.of(), variables, "")));
  }

  private static void assertIsReadOrRefused(ParsedConfig parsed) {
    if (parsed instanceof ParsedConfig.Rejected(var problems)) {
      assertThat(problems)
          .isNotEmpty()
          .allSatisfy(problem -> {
            assertThat(problem.key()).isNotBlank();
            assertThat(problem.remedy()).isNotBlank();
          });
    }
  }

  private static String text(MigStrategy strategy) {
    return strategy.name().toLowerCase(Locale.ROOT);
  }
}
