package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.NodeDetails;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CdiDocumentTest {
  private static final CdiSpecification SPECIFICATION =
      new CdiSpecification(
          new CdiKind("nvidia.com", "gpu"),
          List.of(
              new CdiDevice(
                  "0",
                  new ContainerEdits(
                      List.of(),
                      List.of(
                          new DeviceNodeEdit(
                              "/dev/nvidia0",
                              Optional.of("/driver/dev/nvidia0"),
                              Optional.of(new NodeDetails(195, 0, 0666, 44)))),
                      List.of(),
                      List.of(),
                      List.of()))),
          ContainerEdits.ofEnv("NVIDIA_VISIBLE_DEVICES=void"));

  @Test
  void jsonIsOneLineWithoutEmptyValues() {
    assertThat(CdiDocument.JSON.text(SPECIFICATION))
        .isEqualTo(
            """
            {"cdiVersion":"0.5.0","kind":"nvidia.com/gpu","devices":[{"name":"0","containerEdits":\
            {"deviceNodes":[{"path":"/dev/nvidia0","hostPath":"/driver/dev/nvidia0","major":195,\
            "fileMode":438,"permissions":"rwm","gid":44}]}}],\
            "containerEdits":{"env":["NVIDIA_VISIBLE_DEVICES=void"]}}\
            """);
  }

  @Test
  void yamlIsIndentedByFour() {
    assertThat(CdiDocument.YAML.text(SPECIFICATION))
        .isEqualTo(
            """
            ---
            cdiVersion: 0.5.0
            kind: nvidia.com/gpu
            devices:
                - name: "0"
                  containerEdits:
                    deviceNodes:
                        - path: /dev/nvidia0
                          hostPath: /driver/dev/nvidia0
                          major: 195
                          fileMode: 438
                          permissions: rwm
                          gid: 44
            containerEdits:
                env:
                    - NVIDIA_VISIBLE_DEVICES=void
            """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "0:1",
        "1.5",
        "on",
        "No",
        "null",
        "~",
        "",
        "a: b",
        "a #b",
        "- a",
        "0.5.0",
        "--link",
        "../card0::/dev/dri/by-path/pci-0000:00:00.0-card",
        "GPU-1",
        "a:",
        "*a",
        "0x1f",
        "A=b c"
      })
  void yamlKeepsTextsTexts(String text) throws IOException {
    var specification =
        new CdiSpecification(
            new CdiKind("nvidia.com", "gpu"), List.of(), ContainerEdits.ofEnv(text));
    var read = new YAMLMapper().readTree(CdiDocument.YAML.text(specification));
    assertThat(read.path("containerEdits").path("env").path(0).isTextual()).isTrue();
    assertThat(read.path("containerEdits").path("env").path(0).asText()).isEqualTo(text);
  }

  @Test
  void filesAreNamedAfterTheKind() {
    assertThat(CdiDocument.JSON.fileName(SPECIFICATION)).isEqualTo("nvidia.com-gpu.json");
    assertThat(CdiDocument.YAML.fileName(SPECIFICATION)).isEqualTo("nvidia.com-gpu.yaml");
  }
}
