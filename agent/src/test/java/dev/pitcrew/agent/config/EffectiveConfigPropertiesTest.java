package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.yaml.snakeyaml.Yaml;

/// What is printed is a configuration file of the same meaning.
class EffectiveConfigPropertiesTest {
  private static final List<Object> SELECTIONS = List.of("all", 2, List.of("0", "1:0"));

  @Property(tries = 200)
  void theParserAcceptsWhatIsPrinted(
      @ForAll Program program, @ForAll("sharings") Map<String, Object> sharing) {
    var flags = Map.of("mpsRoot", "/run/nvidia/mps");
    AgentConfig config =
        accepted(program, Map.of("version", "v1", "flags", flags, "sharing", sharing));

    assertThat(accepted(program, EffectiveConfig.of(program, config))).isEqualTo(config);
  }

  @Provide
  Arbitrary<Map<String, Object>> sharings() {
    Arbitrary<Boolean> truths = Arbitraries.of(true, false);
    Arbitrary<Map<String, Object>> shared =
        Combinators.combine(Arbitraries.of("timeSlicing", "mps"), truths, truths, resources())
            .as((way, renames, fails, resources) ->
                Map.of(
                    way,
                    Map.of(
                        "renameByDefault",
                        renames,
                        "failRequestsGreaterThanOne",
                        fails,
                        "resources",
                        resources)));
    return Arbitraries.oneOf(Arbitraries.just(Map.of()), shared);
  }

  private static Arbitrary<List<Map<String, Object>>> resources() {
    Arbitrary<Map<String, Object>> resource =
        Combinators.combine(
                Arbitraries.of("nvidia.com/gpu", "mig-1g.10gb"),
                Arbitraries.integers().between(2, 64),
                Arbitraries.of(SELECTIONS))
            .as((name, replicas, devices) ->
                Map.of("name", name, "replicas", replicas, "devices", devices));
    return resource
        .list()
        .ofMinSize(1)
        .ofMaxSize(2)
        .uniqueElements(item -> String.valueOf(item.get("name")));
  }

  private static AgentConfig accepted(Program program, Map<String, Object> file) {
    String text = new Yaml().dump(file);
    return Configs.accepted(
            ConfigParser.parse(program, new ConfigSources(Map.of(), Map.of(), text)))
        .config();
  }
}
