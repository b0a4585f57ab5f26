package dev.pitcrew.operator.driver;

import static dev.pitcrew.operator.testing.Drivers.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeptManagerImageTest {
  private static final String FORMER = "example.com/manager:1";
  private static final String NEWER = "example.com/manager:2";
  private static final OwnManagerContainer OWN =
      new OwnManagerContainer(
          Policies.agent(
              "{enabled: true, functions: [driverManager], image: {repository: r.io, image: p, version: '1'}}"));

  @Test
  void newerManagerImageAlone_reloadsNoDriver() {
    DaemonSet before = fresh("{}", FORMER);

    DaemonSet after = rendered("{}", NEWER, OwnManagerContainer.OFF, before);

    assertThat(manager(after).getImage()).isEqualTo(FORMER);
    assertThat(digest(after)).isEqualTo(digest(before)).isNotEqualTo(digest(fresh("{}", NEWER)));
  }

  @Test
  void newManagerImage_comesWithTheNextDriver() {
    DaemonSet before = fresh("{}", FORMER);

    DaemonSet after = rendered("{kernelModuleType: open}", NEWER, OwnManagerContainer.OFF, before);

    assertThat(manager(after).getImage()).isEqualTo(NEWER);
    assertThat(digest(after)).isEqualTo(digest(fresh("{kernelModuleType: open}", NEWER)));
  }

  @Test
  void driverThatWasRolledBack_isNotRetriedForANewerManagerImageAlone() {
    String failed = "{kernelModuleType: open}";
    String rejected = digest(fresh(failed, FORMER)).orElseThrow();
    DaemonSet rolledBack =
        new DaemonSetBuilder(fresh("{}", FORMER))
            .editMetadata()
            .addToAnnotations(Rollback.ANNOTATION, new Rollback(rejected, "", "crashed").text())
            .endMetadata()
            .build();

    DaemonSet after = rendered(failed, NEWER, OwnManagerContainer.OFF, rolledBack);

    assertThat(digest(after)).contains(rejected);
  }

  @Test
  void ourOwnRunsInThePlaceOfTheFormerOne() {
    DaemonSet before = owned(rendered("{}", FORMER, OWN, Optional.empty()), "d-uid");
    assertThat(manager(before).getImage()).isEqualTo("r.io/p:1");

    DaemonSet after = rendered("{}", NEWER, OWN, before);
    DaemonSet withoutOurs = rendered("{}", NEWER, OwnManagerContainer.OFF, owned(after, "d-uid"));

    assertThat(after.getSpec()).isEqualTo(before.getSpec());
    assertThat(digest(withoutOurs)).isEqualTo(digest(before));
    assertThat(manager(withoutOurs).getImage()).isEqualTo(FORMER);
  }

  @Test
  void daemonSetOfAnotherOwner_isIgnored() {
    DaemonSet ofAnother = owned(fresh("{}", FORMER), "other-uid");

    DaemonSet after = rendered("{}", NEWER, OwnManagerContainer.OFF, ofAnother);

    assertThat(manager(after).getImage()).isEqualTo(NEWER);
  }

  private static DaemonSet fresh(String spec, String image) {
    return owned(rendered(spec, image, OwnManagerContainer.OFF, Optional.empty()), "d-uid");
  }

  private static DaemonSet rendered(
      String spec, String image, OwnManagerContainer manager, DaemonSet live) {
    return rendered(spec, image, manager, Optional.of(live));
  }

  private static DaemonSet rendered(
      String spec, String image, OwnManagerContainer manager, Optional<DaemonSet> live) {
    var driver = named("d", spec);
    NodeFacts node = Drivers.owned("n", "d");
    var surroundings =
        new DriverPlan.Surroundings(
            "/",
            Facts.oneNode().build(),
            new Images(Map.of("DRIVER_MANAGER_IMAGE", image)),
            manager,
            name -> live.filter(it -> it.getMetadata().getName().equals(name)));
    var plan = DriverPlan.of(driver, Drivers.fleet(List.of(driver), node), surroundings);
    return ((DriverPlan.Wanted) plan).daemonSets().getFirst();
  }

  private static DaemonSet owned(DaemonSet daemonSet, String uid) {
    return new DaemonSetBuilder(daemonSet)
        .editMetadata()
        .withOwnerReferences(new OwnerReferenceBuilder().withUid(uid).build())
        .endMetadata()
        .build();
  }

  private static Container manager(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec().getInitContainers().getFirst();
  }

  private static Optional<String> digest(DaemonSet daemonSet) {
    return Adoption.digestOf(daemonSet.getSpec().getTemplate().getSpec());
  }
}
