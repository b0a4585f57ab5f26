package dev.pitcrew.testbed.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorLaunchTest {
  private static final Path KUBECONFIG = Path.of("/run/kubeconfig");
  private static final OperatorAddresses ADDRESSES = new OperatorAddresses(1001, 1002);

  private final OperatorProgram program =
      new OperatorProgram(Path.of("/jdk/bin/java"), Path.of("some.flags"), "operator.jar:lib/*");

  @Test
  void theProcessGetsItsVariablesAndNoOthers() {
    var launch =
        new OperatorLaunch(new TreeMap<>(Map.of("B", "", "A", "a b")), List.of("operator"));

    assertThat(launch.commandLine(program, KUBECONFIG, ADDRESSES))
        .startsWith("/usr/bin/env", "-i", "A=a b", "B=", "/jdk/bin/java");
  }

  @Test
  void theProcessGetsItsArgumentsAndWhereToConnectAndToAnswer() {
    var launch = OperatorLaunch.inPod("place", "pod").withArgument("--leader-elect");

    assertThat(launch.commandLine(program, KUBECONFIG, ADDRESSES))
        .endsWith(
            "operator",
            "--leader-elect",
            "--kubeconfig=/run/kubeconfig",
            "--metrics-bind-address=127.0.0.1:1001",
            "--health-probe-bind-address=127.0.0.1:1002");
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
  void flagsAreReadWithoutTheirReasons(@TempDir Path folder) throws IOException {
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
