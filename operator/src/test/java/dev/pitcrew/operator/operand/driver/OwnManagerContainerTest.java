package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OwnManagerContainerTest {
  private static final String AGENT =
      "{enabled: true, functions: [labels%s], image: {repository: r.io, image: p, version: '1'}, imagePullSecrets: [ours]}";
  private static final String WITH = AGENT.formatted(", driverManager");
  private static final String VFIO = "nvidia-vfio-manager";
  private static final String POLICY =
      "sandboxWorkloads: {enabled: true}\nvfioManager: {enabled: true, driverManager: {repository: r.io, image: m, version: '1'}, repository: r.io, image: v, version: '1'}";
  private static final String WITHOUT = AGENT.formatted("");

  @Test
  void ownManagerContainer_replacesTheConfiguredOne_andTheDigestStays() {
    Map<String, DaemonSet> before = daemonSets(WITHOUT);
    Map<String, DaemonSet> after = daemonSets(WITH);

    assertThat(after).hasSameSizeAs(before).containsKey("nvidia-driver-daemonset");
    after.forEach(
        (name, daemonSet) -> assertManager(manager(named(before, name)), manager(daemonSet)));
    DaemonSet driver = named(after, "nvidia-driver-daemonset");
    DaemonSet former = named(before, "nvidia-driver-daemonset");
    assertThat(spec(driver).getContainers()).isEqualTo(spec(former).getContainers());
    assertThat(spec(driver).getVolumes()).isEqualTo(spec(former).getVolumes());
    assertThat(spec(driver).getImagePullSecrets())
        .extracting(secret -> secret.getName())
        .contains("ours");
  }

  @Test
  void theVfioManagerIsOursToo() {
    PodSpec before = spec(named(daemonSets(WITHOUT), VFIO));
    PodSpec after = spec(named(daemonSets(WITH), VFIO));
    Container former = before.getContainers().getFirst();
    Container own = after.getContainers().getFirst();

    assertThat(former.getCommand()).containsExactly("/bin/sh", "-c");
    assertThat(own.getImage()).isEqualTo("r.io/p:1");
    assertThat(own.getCommand()).containsExactly("pitcrew");
    assertThat(own.getArgs()).containsExactly("vfio-manage", "bind", "--all", "--until-stopped");
    assertThat(own.getLifecycle()).isNull();
    assertThat(own.getSecurityContext().getRunAsUser()).isZero();
    assertThat(own.getSecurityContext().getPrivileged()).isTrue();
    assertThat(own.getEnv()).isEqualTo(former.getEnv());
    assertThat(own.getVolumeMounts()).isEqualTo(former.getVolumeMounts());
    assertThat(own.getResources()).isEqualTo(former.getResources());
    assertThat(after.getVolumes()).isEqualTo(before.getVolumes());
    assertThat(after.getTerminationGracePeriodSeconds())
        .isEqualTo(before.getTerminationGracePeriodSeconds());
  }

  /// Each right is used (`DriverPreparationTest` runs under just these), and none is for evictions.
  @Test
  void ownManagerContainer_mayNotEvict() {
    for (String name : List.of("nvidia-driver", VFIO)) {
      ClusterRole before = role(WITHOUT, name);
      ClusterRole after = role(WITH, name);

      assertThat(rights(before)).as(name).contains("create pods/eviction");
      assertThat(rights(after))
          .as(name)
          .containsExactly("get, list clusterversions", "get, patch nodes", "get resourceclaims");
      assertThat(after.getMetadata()).isEqualTo(before.getMetadata());
    }
    assertThat(objects(WITH))
        .filteredOn(ClusterRole.class::isInstance)
        .extracting(it -> rights((ClusterRole) it).toString())
        .noneMatch(it -> it.contains("eviction"));
  }

  @Test
  void norAnyOfAnNvidiaDriver() {
    var driver = Drivers.named("a", "{nodeSelector: {pool: a}}");
    var fleet = Drivers.fleet(List.of(driver), Drivers.owned("n1", "a", "pool=a"));
    var plan =
        Drivers.plan(driver, fleet, Facts.oneNode(), new OwnManagerContainer(Policies.agent(WITH)));

    assertThat(((DriverPlan.Wanted) plan).resources())
        .filteredOn(ClusterRole.class::isInstance)
        .singleElement()
        .satisfies(it ->
            assertThat(rights((ClusterRole) it).toString())
                .contains("get, patch nodes")
                .doesNotContain("eviction"));
  }

  @Test
  void anNvidiaDriversDigestStaysToo() {
    var driver = Drivers.named("a", "{nodeSelector: {pool: a}}");
    var fleet = Drivers.fleet(List.of(driver), Drivers.owned("n1", "a", "pool=a"));
    DaemonSet before = only(Drivers.plan(driver, fleet, Facts.oneNode()));
    DaemonSet after =
        only(
            Drivers.plan(
                driver, fleet, Facts.oneNode(), new OwnManagerContainer(Policies.agent(WITH))));

    assertManager(manager(before), manager(after));
    assertThat(spec(after).getContainers()).isEqualTo(spec(before).getContainers());
    assertThat(OwnManagerContainer.configuredImage(after))
        .isEqualTo(OwnManagerContainer.configuredImage(before))
        .contains(manager(before).getImage());
  }

  @Test
  void agents_getNoSettingForIt() {
    assertThat(Rendered.withAgent(WITH, "{}", Facts.oneNode()).configMap("pitcrew-agent").getData())
        .isEqualTo(
            Rendered.withAgent(WITHOUT, "{}", Facts.oneNode())
                .configMap("pitcrew-agent")
                .getData());
  }

  /// All but image, command, user and last words is as it was.
  private static void assertManager(Container before, Container after) {
    assertThat(after.getImage()).isEqualTo("r.io/p:1");
    assertThat(after.getCommand()).containsExactly("pitcrew");
    assertThat(after.getArgs()).containsExactly("driver-manager", "uninstall_driver");
    assertThat(after.getSecurityContext().getRunAsUser()).isZero();
    assertThat(after.getSecurityContext().getPrivileged()).isTrue();
    assertThat(after.getEnv()).isEqualTo(before.getEnv());
    assertThat(
            new ContainerBuilder(after)
                .withImage(before.getImage())
                .withCommand(before.getCommand())
                .withArgs(before.getArgs())
                .withSecurityContext(before.getSecurityContext())
                .withImagePullPolicy(before.getImagePullPolicy())
                .withTerminationMessagePolicy(before.getTerminationMessagePolicy())
                .build())
        .isEqualTo(before);
  }

  private static List<String> rights(ClusterRole role) {
    return role.getRules().stream()
        .map(it -> String.join(", ", it.getVerbs()) + " " + String.join(", ", it.getResources()))
        .toList();
  }

  private static ClusterRole role(String agent, String name) {
    return objects(agent).stream()
        .filter(ClusterRole.class::isInstance)
        .map(ClusterRole.class::cast)
        .filter(it -> name(it).equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<HasMetadata> objects(String agent) {
    return Rendered.withAgent(agent, POLICY, Facts.oneNode()).plan().resources();
  }

  private static Map<String, DaemonSet> daemonSets(String agent) {
    return Rendered.withAgent(agent, POLICY, Facts.oneNode()).plan().daemonSets().stream()
        .map(DaemonSet.class::cast)
        .filter(OwnManagerContainerTest::has)
        .collect(Collectors.toMap(OwnManagerContainerTest::name, Function.identity()));
  }

  private static DaemonSet named(Map<String, DaemonSet> all, String name) {
    return Objects.requireNonNull(all.get(name), name);
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private static boolean has(DaemonSet daemonSet) {
    return spec(daemonSet).getInitContainers().stream()
        .anyMatch(it -> it.getName().equals(DriverManagerContainer.NAME));
  }

  private static DaemonSet only(DriverPlan plan) {
    assertThat(plan).isInstanceOf(DriverPlan.Wanted.class);
    return ((DriverPlan.Wanted) plan).daemonSets().getFirst();
  }

  private static PodSpec spec(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec();
  }

  private static Container manager(DaemonSet daemonSet) {
    Container found =
        spec(daemonSet).getInitContainers().stream()
            .filter(it -> it.getName().equals(DriverManagerContainer.NAME))
            .findFirst()
            .orElseThrow();
    if (name(daemonSet).contains("driver")) {
      assertThat(found.getEnv()).extracting(EnvVar::getName).contains("DRIVER_CONFIG_DIGEST");
    }
    return found;
  }
}
