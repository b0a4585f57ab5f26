package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `pitcrew rollout` as users run it: another process, with an account of its own.
///
/// @param account a kubeconfig
record RolloutRuns(Path account) {
  private static final String READER = "rollout-reader";

  record Run(int exitCode, String text) {}

  /// With an account that may write nothing.
  static RolloutRuns ofReader(ControlPlane controlPlane) {
    var client = controlPlane.client();
    client
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(READER)
                .endMetadata()
                .addNewRule()
                .withApiGroups("", "apps", "policy", "nvidia.com", "pitcrew.dev", "resource.k8s.io")
                .withResources("*")
                .withVerbs("get", "list", "watch")
                .endRule()
                .build())
        .serverSideApply();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(READER)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", READER)
                .addNewSubject("rbac.authorization.k8s.io", "User", READER, null)
                .build())
        .serverSideApply();
    return new RolloutRuns(controlPlane.kubeconfigForUser(READER));
  }

  Run run(String... arguments) throws IOException, InterruptedException {
    var words = new ArrayList<>(List.of("rollout"));
    words.addAll(List.of(arguments));
    words.add("--kubeconfig=" + account);
    List<String> command = Launch.PROGRAM.commandLine(words);
    Path output = Files.createTempFile("rollout-", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectErrorStream(true)
            .start();
    assertThat(process.waitFor(UpgradeFleet.LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as("%s ends", command)
        .isTrue();
    return new Run(process.exitValue(), Files.readString(output));
  }
}
