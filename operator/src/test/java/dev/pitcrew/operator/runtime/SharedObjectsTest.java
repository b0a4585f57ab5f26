package dev.pitcrew.operator.runtime;

import static dev.pitcrew.operator.testing.Drivers.named;
import static dev.pitcrew.operator.testing.Drivers.owned;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.driver.DriverResource;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.runtime.DriverReading.Planned;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.operator.testing.Facts;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedObjectsTest {
  private static final DriverResource DEFAULT = named("default", "{default: true}");
  private static final DriverResource TRAINING = named("training", "{nodeSelector: {a: b}}");
  private static final DriverResource BROKEN =
      named("training", "{nodeSelector: {a: b}, secretEnv: gone}");
  private static final NodeFacts OF_TRAINING = owned("n", "training", "a=b");

  @Test
  void objectThatARefusedOperandStillUses_stays() {
    HasMetadata script = shared(DEFAULT, TRAINING).wanted().getFirst();
    assertThat(script.getMetadata().getOwnerReferences())
        .extracting("name")
        .containsExactly("default", "training");

    SharedObjects now = shared(DEFAULT, BROKEN);

    assertThat(now.wanted()).isEmpty();
    assertThat(now.keeps(script)).isTrue();
  }

  @Test
  void objectThatNoPolicyWants_isDeleted() {
    HasMetadata script = shared(DEFAULT, TRAINING).wanted().getFirst();

    assertThat(shared(DEFAULT, TRAINING).keeps(script)).isTrue();
    assertThat(shared(DEFAULT).keeps(script)).isFalse();
  }

  private static SharedObjects shared(DriverResource... drivers) {
    var fleet = Drivers.fleet(List.of(drivers), OF_TRAINING);
    return SharedObjects.of(
        fleet.drivers().stream()
            .map(it -> new Planned(resource(it), Drivers.plan(it, fleet, Facts.oneNode())))
            .toList());
  }

  private static GenericKubernetesResource resource(DriverResource driver) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("nvidia.com/v1alpha1")
        .withKind("NVIDIADriver")
        .withNewMetadata()
        .withName(driver.name())
        .withUid(driver.uid())
        .endMetadata()
        .build();
  }
}
