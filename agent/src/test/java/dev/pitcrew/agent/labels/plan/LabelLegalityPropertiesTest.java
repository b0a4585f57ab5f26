package dev.pitcrew.agent.labels.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.config.Configs;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.hardware.pci.VirtualGpu;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class LabelLegalityPropertiesTest {
  private static final Pattern VALUE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");
  private static final int LONGEST = 63;

  @Property(tries = 300)
  void everyLabelIsLegalWhateverTheHardwareSays(
      @ForAll("nodes") List<TestGpu> gpus, @ForAll String text, @ForAll("files") String file) {
    assertThat(labels(gpus, text, file))
        .allSatisfy((key, value) -> {
          assertThat(value).matches(VALUE).hasSizeLessThanOrEqualTo(LONGEST);
          String name = key.substring("nvidia.com/".length());
          assertThat(name).matches(NAME).hasSizeLessThanOrEqualTo(LONGEST);
        });
  }

  @Property(tries = 300)
  void orderOfEqualGpusDoesNotMatter(@ForAll("nodes") List<TestGpu> gpus, @ForAll Random random) {
    var models = gpus.stream().map(gpu -> gpu.board().name()).distinct().toList();
    if (models.size() == 1) {
      var shuffled = new ArrayList<>(gpus);
      Collections.shuffle(shuffled, random);

      assertThat(labels(shuffled, "", "").get("nvidia.com/gpu.count"))
          .isEqualTo(labels(gpus, "", "").get("nvidia.com/gpu.count"));
    }
  }

  @Provide
  Arbitrary<List<TestGpu>> nodes() {
    Arbitrary<String> models = Arbitraries.strings().ofMaxLength(90);
    Arbitrary<List<MigProfile>> layouts =
        Arbitraries.of(TestGpu.ONE, TestGpu.THREE, new MigProfile(1, 1, 5, "+me.all"))
            .list()
            .ofMaxSize(3);
    Arbitrary<TestGpu> gpus =
        Combinators.combine(models, layouts, Arbitraries.of(true, false))
            .as((model, layout, divided) ->
                divided
                    ? TestGpu.gpu(model).divided(layout.toArray(MigProfile[]::new))
                    : TestGpu.gpu(model));
    return gpus.list().ofMinSize(1).ofMaxSize(4);
  }

  @Provide
  Arbitrary<String> files() {
    return Combinators.combine(
            Arbitraries.of("none", "single", "mixed"),
            Arbitraries.of("gpu", "mig-1g.5gb"),
            Arbitraries.of(true, false))
        .as((strategy, resource, rename) ->
            """
            flags: {migStrategy: %s}
            sharing: {timeSlicing: {renameByDefault: %s, resources: [{name: %s, replicas: 3}]}}
            """
                .formatted(strategy, rename, resource));
  }

  private static SortedMap<String, String> labels(List<TestGpu> gpus, String text, String file) {
    var facts = new MachineFacts(Optional.of(text), List.of(new VirtualGpu.Present(text, text)));
    var labelling =
        GpuLabels.of(TestGpu.node(gpus), facts, Configs.labels(file), InstantSource.system());
    return ((Labelling.Labels) labelling).labels();
  }
}
