package dev.pitcrew.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.Slice;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The rules on who may know whom.
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.pitcrew");

  /// Packages that decide and do nothing else.
  private static final String[] PURE = {
    "dev.pitcrew.core",
    "dev.pitcrew.core.digest..",
    "dev.pitcrew.core.exposition..",
    "dev.pitcrew.core.names..",
    "dev.pitcrew.core.requests..",
    "dev.pitcrew.core.rollout..",
    "dev.pitcrew.core.xids..",
    "dev.pitcrew.api..",
    "dev.pitcrew.operator.cluster..",
    "dev.pitcrew.operator.computedomain..",
    "dev.pitcrew.operator.eviction..",
    "dev.pitcrew.operator.node..",
    "dev.pitcrew.operator.operand..",
    "dev.pitcrew.operator.policy..",
    "dev.pitcrew.operator.render..",
    "dev.pitcrew.operator.upgrade..",
    "dev.pitcrew.device..",
    "dev.pitcrew.agent..plan..",
    "dev.pitcrew.agent.health..",
    "dev.pitcrew.agent.mig.config..",
    "dev.pitcrew.agent.settings..",
    "dev.pitcrew.cli.plan..",
  };

  /// What the agent does on a node. What needs two of them puts them together outside of both.
  private static final String CONCERNS = "dev\\.pitcrew\\.agent\\.(cdi|labels|plugin)\\..*";

  /// These read files that lie in their own jar, which is as good as a constant.
  private static final Set<String> READ_THEIR_JAR =
      Set.of(
          "dev.pitcrew.api.Crds",
          "dev.pitcrew.api.node.StandardLayouts",
          "dev.pitcrew.operator.render.PackagedFile");

  private static final Pattern VAGUE = Pattern.compile("Abstract.*|.*(Utils?|Helper|Manager|Impl)");

  /// Users know NVIDIA's operands by these names, and Kubernetes' field managers by that one.
  private static final Set<String> NAMES_OF_OTHERS =
      Set.of(
          "MigManager",
          "VfioManager",
          "CcManager",
          "VgpuManager",
          "VgpuDeviceManager",
          "FieldManager");

  private static final DescribedPredicate<JavaClass> VAGUELY_NAMED =
      DescribedPredicate.describe(
          "are named vaguely",
          type ->
              VAGUE.matcher(type.getSimpleName()).matches()
                  && !NAMES_OF_OTHERS.contains(type.getSimpleName()));

  private static final DescribedPredicate<JavaClass> CLIENT =
      resideInAnyPackage("io.fabric8.kubernetes.client..", "io.kubernetes.client..");

  @Test
  void whatDecidesKnowsNoClient() {
    check(noClasses().that().resideInAnyPackage(PURE).should().dependOnClassesThat(CLIENT));
  }

  @Test
  void whatDecidesDoesNoInputOrOutput() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PURE)
            .and(notNamed(READ_THEIR_JAR))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "java.nio.file..", "java.nio.channels..", "java.net..", "java.net.http..")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("java\\.io\\.(File.*|InputStream|OutputStream|Reader|Writer)"));
  }

  @Test
  void whatDecidesHasNoClock() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PURE)
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class));
  }

  @Test
  void onlyTheRuntimeAndTheKubeModuleKnowAClient() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.pitcrew.kube..",
                "dev.pitcrew.operator.runtime..",
                "dev.pitcrew.testbed..",
                "dev.pitcrew.image..")
            .should()
            .dependOnClassesThat(CLIENT));
  }

  @Test
  void frameworksThatWeDoWithoutStayOut() {
    check(
        noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.javaoperatorsdk..", "io.micrometer..", "org.springframework.."));
  }

  @Test
  void onlyThreePackagesCallNativeCode() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "dev.pitcrew.hardware.nvml..",
                "dev.pitcrew.hardware.linux..",
                "dev.pitcrew.hardware.cuda..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.lang.foreign.."));
  }

  @ParameterizedTest
  @ValueSource(strings = {"operator", "agent", "cli"})
  void processesDoNotKnowEachOther(String process) {
    String own = "dev.pitcrew." + process + "..";
    check(
        noClasses()
            .that()
            .resideInAPackage(own)
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                        "dev.pitcrew.operator..", "dev.pitcrew.agent..", "dev.pitcrew.cli..")
                    .and(DescribedPredicate.not(resideInAnyPackage(own)))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "core",
        "api",
        "kube",
        "testbed",
        "operator",
        "device",
        "hardware",
        "agent",
        "cli",
        "image"
      })
  void packagesFormNoCycles(String module) {
    check(
        slices()
            .matching("dev.pitcrew." + module + ".(**)")
            .namingSlices("$1")
            .should()
            .beFreeOfCycles());
  }

  @Test
  void concernsOfTheAgentDoNotKnowEachOther() {
    check(
        slices()
            .matching("dev.pitcrew.agent.(*)..")
            .that(DescribedPredicate.describe("are concerns", ArchitectureTest::isConcern))
            .should()
            .notDependOnEachOther());
  }

  /// Only [dev.pitcrew.agent.process] and the commands know more than one controller.
  @Test
  void controllersOfTheAgentDoNotKnowTheStateOfAllOthers() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.pitcrew.agent..")
            .and()
            .resideOutsideOfPackages(
                "dev.pitcrew.agent", "dev.pitcrew.agent.process..", "dev.pitcrew.agent.command..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.pitcrew.agent.process.."));
  }

  @Test
  void namesSayWhatAClassIs() {
    check(noClasses().that(VAGUELY_NAMED).should().haveNameMatching(".*"));
  }

  private static boolean isConcern(Slice slice) {
    return slice.stream().allMatch(type -> type.getName().matches(CONCERNS));
  }

  private static DescribedPredicate<JavaClass> notNamed(Set<String> names) {
    return DescribedPredicate.describe(
        "not one of " + names, type -> !names.contains(type.getName()));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(CLASSES);
  }
}
