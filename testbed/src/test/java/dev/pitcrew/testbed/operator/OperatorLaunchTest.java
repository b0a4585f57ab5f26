package dev.pitcrew.testbed.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorLaunchTest {
  private static final String WITHOUT_TOKEN =
      """
      apiVersion: v1
      kind: Config
      current-context: c
      contexts: [{name: c, context: {cluster: c, user: u}}]
      clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
      users: [{name: u, user: {}}]
      """;
  private static final OperatorAddresses ADDRESSES = new OperatorAddresses(1001, 1002);

  private final OperatorProgram program =
      new OperatorProgram(
          Path.of("/jdk/bin/java"), Path.of("some.flags"), List.of(), "operator.jar:lib/*");

  private @TempDir Path folder = Path.of("");
  private Path kubeconfig = folder;

  @BeforeEach
  void writeKubeconfig() throws IOException {
    kubeconfig = Files.writeString(folder.resolve("kubeconfig"), WITHOUT_TOKEN);
  }

  @Test
  void theProcessGetsItsVariablesAndNoOthers() {
    var launch =
        new OperatorLaunch(new TreeMap<>(Map.of("B", "", "A", "a b")), List.of("operator"));

    assertThat(launch.commandLine(program, kubeconfig, ADDRESSES))
        .startsWith("/usr/bin/env", "-i", "A=a b", "B=", "/jdk/bin/java");
  }

  @Test
  void theProcessGetsItsArgumentsAndWhereToConnectAndToAnswer() {
    var launch = OperatorLaunch.inPod("place", "pod").withArgument("--leader-elect");

    assertThat(launch.commandLine(program, kubeconfig, ADDRESSES))
        .endsWith(
            "operator",
            "--leader-elect",
            "--metrics-bind-address=127.0.0.1:1001",
            "--health-probe-bind-address=127.0.0.1:1002",
            "--kubeconfig=" + kubeconfig);
  }

  @Test
  void subcommandThatEnds_getsNoAddressToListenOn() {
    var launch = new OperatorLaunch(new TreeMap<>(), List.of("manage-crds", "apply"));

    assertThat(launch.commandLine(program, kubeconfig))
        .endsWith("manage-crds", "apply", "--kubeconfig=" + kubeconfig);
  }

  @Test
  void aPodHasItsNamesAndWhatElseIsSaid() {
    assertThat(OperatorLaunch.inPod("place", "pod").withVariable("MORE", "more").environment())
        .containsAllEntriesOf(OperatorLaunch.IMAGES)
        .containsEntry("OPERATOR_NAMESPACE", "place")
        .containsEntry("POD_NAME", "pod")
        .containsEntry("MORE", "more");
  }

  @Test
  void theCommandHoldsFromEveryFolder() {
    var here = Path.of("").toAbsolutePath();

    assertThat(program.commandLine(List.of("operator")))
        .containsSequence(
            "@" + here + "/some.flags", "-cp", here + "/operator.jar:" + here + "/lib/*");
  }

  @Test
  void flagsAreReadWithoutTheirReasons() throws IOException {
    Files.writeString(
        folder.resolve(OperatorProgram.FLAGS_FILE),
        """
        # small
        -Xmx1m

        -XX:+UseSerialGC
        """);

    assertThat(OperatorProgram.in(folder).jvmFlags()).containsExactly("-Xmx1m", "-XX:+UseSerialGC");
  }
}
