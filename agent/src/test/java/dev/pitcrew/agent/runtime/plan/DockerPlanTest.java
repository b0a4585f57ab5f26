package dev.pitcrew.agent.runtime.plan;

import static dev.pitcrew.agent.runtime.plan.Configs.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is put into Docker's file.
class DockerPlanTest {
  private static final String PATH = "/etc/docker/daemon.json";
  private static final WantedRuntime CDI = new WantedRuntime(List.of(), true, true);
  private static final String USUAL =
      """
      {
        "log-driver": "json-file",
        "features": {
          "buildkit": true,
          "containerd-snapshotter": true
        },
        "exec-opts": ["native.cgroupdriver=systemd"]
      }
      """;

  @Test
  void featuresKeepTheirNeighboursOrderAndIndentation() {
    assertThat(Configs.docker(USUAL).after(CDI, PATH))
        .isEqualTo(USUAL.replace("    \"buildkit\"", "    \"cdi\": true,\n    \"buildkit\""));
  }

  @Test
  void aFileWithoutFeaturesGetsThem() {
    assertThat(Configs.docker("{\"mtu\": 1400}").after(CDI, PATH))
        .isEqualTo("{\"features\": {\"cdi\": true},\"mtu\": 1400}");
    assertThat(Configs.docker("{}").after(CDI, PATH))
        .isEqualTo("{\n    \"features\": {\"cdi\": true}\n}");
    assertThat(Configs.docker("").withoutMain().after(CDI, PATH))
        .isEqualTo("{\n    \"features\": {\"cdi\": true}\n}\n");
  }

  @Test
  void handlersArePlainRuncBesideThoseThatAreThere() {
    assertThat(
            Configs.docker(
                    "{\"features\": {\"cdi\": true}, \"runtimes\": {\"kata\": {\"path\": \"k\"}}}")
                .after(ONE, PATH))
        .isEqualTo(
            "{\"features\": {\"cdi\": true}, \"runtimes\": {\"nvidia\": {\"path\": \"runc\"},\"kata\": {\"path\": \"k\"}}}");
    Configs there =
        Configs.docker(
            "{\"features\": {\"cdi\": true}, \"runtimes\": {\"nvidia\": {\"path\": \"n\"}}}");
    assertThat(there.plan(ONE)).isInstanceOf(RuntimePlan.Nothing.class);
    assertThat(there.plan(ONE).remarks()).hasSize(2).anyMatch(line -> line.contains("no NRI"));
  }

  @Test
  void fileThatAUserEditedSince_losesOnlyOurEntries() {
    Configs before = Configs.docker(USUAL);
    Receipt receipt = Receipt.of(RuntimeKind.DOCKER).before(before.edits(CDI));
    String edited = before.after(CDI, PATH).replace("json-file", "local");
    var undo =
        RuntimeUndo.of(RuntimeKind.DOCKER, before.withMain(edited).input(), Optional.of(receipt));
    assertThat(((RuntimePlan.Edits) undo).edits().getFirst().after())
        .contains(USUAL.replace("json-file", "local"));
    var lost = Configs.docker(edited.replace("\"cdi\": true,", "\"cdi\":true,"));
    assertThat(RuntimeUndo.of(RuntimeKind.DOCKER, lost.input(), Optional.of(receipt)))
        .isInstanceOf(RuntimePlan.Refused.class);
  }

  @Test
  void fileThatIsNoJsonObject_isRefusedWithItsPosition() {
    assertThat(Configs.docker("{\"mtu\": }").problem(CDI).message())
        .startsWith("/etc/docker/daemon.json:1:9: this is no JSON object");
    assertThat(Configs.docker("[]").problem(CDI).message()).contains("it is no object");
    assertThat(Configs.docker("{\n \"features\": []}").problem(CDI).message())
        .startsWith("/etc/docker/daemon.json:2:14: features is '[]': ");
  }
}
