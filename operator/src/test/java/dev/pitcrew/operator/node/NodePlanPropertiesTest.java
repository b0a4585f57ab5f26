package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.NodeText.key;
import static dev.pitcrew.operator.node.NodeText.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.core.names.PauseWord;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class NodePlanPropertiesTest {
  private static final List<String> FOREIGN =
      List.of(
          "role",
          key("~my-own"),
          key("~operands"),
          key(":mig.capable"),
          key(":gpu.product"),
          key(":gpu.workload.config"),
          key(":vgpu.host-driver-version"),
          key("@pci-10de.present"),
          key("@pci-0302_10de.present"),
          key("@kernel-version.full"));
  private static final List<String> WRITTEN =
      List.of(key(":gpu.present"), key(":mig.config"), key(":gpu-operator.driver.owner"));

  @Property
  void planningAfterTheWriteYieldsNothing(
      @ForAll("nodes") NodeFacts node, @ForAll("policies") NodePolicy policy) {
    var after = written(node, NodePlan.plan(node, policy));

    assertThat(NodePlan.plan(after, policy).isEmpty()).isTrue();
  }

  @Property
  void onlyManagedKeysAreTouched(
      @ForAll("nodes") NodeFacts node, @ForAll("policies") NodePolicy policy) {
    for (NodeChange change :
        List.of(NodePlan.plan(node, policy), NodePlan.cleanup(node, policy.driverOwners()))) {
      assertThat(change.labels().keySet())
          .allMatch(label ->
              LabelSets.MANAGED.contains(label)
                  || WRITTEN.contains(label)
                  || (node.isPauseLeft() && PauseWord.isIn(node.label(label).orElse(""))));
      assertThat(change.annotations().keySet())
          .isSubsetOf(Set.of("nvidia.com/gpu-driver-upgrade-enabled"));
    }
  }

  @Property
  void optingOutAlwaysWins(@ForAll("nodes") NodeFacts node, @ForAll("policies") NodePolicy policy) {
    var optedOut =
        written(node, new NodeChange(Map.of(key("~operands"), "false"), Map.of(), List.of()));
    var after = written(optedOut, NodePlan.plan(optedOut, policy));

    assertThat(after.labels().keySet()).doesNotContainAnyElementsOf(LabelSets.MANAGED);
  }

  @Property
  void aChangeNamesOnlyWhatDiffers(
      @ForAll("nodes") NodeFacts node, @ForAll("policies") NodePolicy policy) {
    var change = NodePlan.plan(node, policy);

    change
        .labels()
        .forEach((label, value) -> assertThat(value).isNotEqualTo(node.labels().get(label)));
    change
        .annotations()
        .forEach((name, value) -> assertThat(value).isNotEqualTo(node.annotations().get(name)));
  }

  @Provide
  Arbitrary<NodeFacts> nodes() {
    var values =
        Arbitraries.of(
            "true",
            "false",
            "",
            "paused-for-driver-upgrade",
            "pre-installed",
            "container",
            "vm-passthrough",
            "vm-vgpu",
            "a",
            "NVIDIA-A100");
    var keys =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(LabelSets.MANAGED)),
            Tuple.of(2, Arbitraries.of(FOREIGN)),
            Tuple.of(1, Arbitraries.of(WRITTEN)));
    var annotations =
        Arbitraries.maps(Arbitraries.of(key(":gpu-driver-upgrade-enabled"), key(":other")), values);
    return Combinators.combine(
            Arbitraries.maps(keys, values).ofMaxSize(20),
            annotations,
            Arbitraries.of(true, false),
            reports(),
            Arbitraries.of(true, false))
        .as((labels, annotated, isAutomatic, driver, isPauseLeft) ->
            NodeText.reported(
                    new NodeFacts("n", "u", "1", labels, annotated, "", ""), isAutomatic, driver)
                .withPauseLeft(isPauseLeft));
  }

  @Provide
  Arbitrary<NodePolicy> policies() {
    var flags = Arbitraries.of(true, false);
    var kinds =
        Combinators.combine(flags, Arbitraries.of(SandboxMode.class), demands()).as(Kind::new);
    return Combinators.combine(
            kinds,
            Arbitraries.of(WorkloadConfig.class),
            flags,
            Arbitraries.of("", "all-disabled", "all-balanced"),
            flags,
            flags,
            drivers().optional(0.8))
        .as((kind, workload, mig, layout, upgrades, crd, owners) ->
            new NodePolicy(
                kind.sandbox(),
                kind.mode(),
                workload,
                mig,
                layout,
                upgrades,
                kind.demand(),
                crd,
                owners,
                false));
  }

  private record Kind(boolean sandbox, SandboxMode mode, DriverDemand demand) {}

  private static Arbitrary<DriverDemand> demands() {
    return Arbitraries.of(
        DriverDemand.NONE,
        new DriverDemand("ClusterPolicy", "580.65.06", false),
        new DriverDemand("ClusterPolicy", "", true));
  }

  private static Arbitrary<DriverStatus> reports() {
    return Combinators.combine(
            Arbitraries.of("580.65.06", "470.1").injectNull(0.2),
            Arbitraries.of(DriverOwner.class).injectNull(0.2),
            Arbitraries.of(DriverPhase.class).injectNull(0.2))
        .as((version, owner, phase) -> new DriverStatus(version, owner, phase, Map.of()));
  }

  private static Arbitrary<DriverOwners> drivers() {
    var selectors = Arbitraries.of(Map.<String, String>of(), Map.of("role", "true"));
    var flags = Arbitraries.of(true, false);
    var claims =
        Combinators.combine(Arbitraries.of("a", "b", "c"), selectors, flags, flags, demands())
            .as(DriverClaim::new)
            .list()
            .uniqueElements(DriverClaim::name)
            .ofMaxSize(3);
    return claims.map(all -> new DriverOwners(all, Set.of("true")));
  }
}
