package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `pitcrew cdi` takes the place of `nvidia-ctk cdi generate`.
class CdiCommandTest {
  private final Path folder;
  private final SimulatedNode node;

  CdiCommandTest(@TempDir Path folder) {
    this.folder = folder;
    node = SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("a100-40g"));
  }

  @ParameterizedTest
  @CsvSource({
    "--mode=nvml,nvidia.com/gpu",
    "--mode=management,nvidia.com/gpu",
    "--mode=management --vendor=management.nvidia.com,management.nvidia.com/gpu",
    "--class=other,nvidia.com/other",
    "--cdi-class=other --cdi-vendor=example.com,example.com/other",
  })
  void theKindIsTheReferences(String line, String kind) throws IOException {
    assertThat(made(Map.of(), line.split(" ")).path("kind").asText()).isEqualTo(kind);
  }

  @Test
  void managementHasTheThreeHooksOfTheReference() throws IOException {
    var hooks = made(Map.of(), "--mode=management").at("/containerEdits/hooks");
    assertThat(hooks)
        .extracting(hook -> hook.at("/args/1").asText())
        .containsExactly("create-symlinks", "enable-cuda-compat", "update-ldcache");
  }

  @Test
  void variablesCountWhereNoFlagIsGiven() throws IOException {
    var variables =
        Map.of(
            "NVIDIA_CTK_CDI_GENERATE_VENDOR", "example.com",
            "NVIDIA_CTK_CDI_GENERATE_CLASS", "card",
            "NVIDIA_CTK_CDI_GENERATE_DEVICE_NAME_STRATEGIES", "type-index",
            "NVIDIA_CTK_CDI_GENERATE_NO_ALL_DEVICE", "true",
            "NVIDIA_CTK_CDI_GENERATE_DISABLED_HOOKS", "all",
            "NVIDIA_CTK_CDI_GENERATE_MODE", "",
            "NVIDIA_CTK_CDI_HOOK_PATH", "/opt/hook");
    var made = made(variables, "--class=flag", "--enable-hook=update-ldcache");
    assertThat(made.path("kind").asText()).isEqualTo("example.com/flag");
    assertThat(made.path("devices").findValuesAsText("name")).containsExactly("gpu0", "gpu1");
    assertThat(made.at("/containerEdits/hooks").findValuesAsText("path"))
        .containsExactly("/opt/hook");
    assertThat(made(variables, "--no-all-device").path("devices")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "x.json,,json",
    "x.yml,,yaml",
    "x,,yaml",
    "x.json,yaml,yaml",
  })
  void extensionDecidesTheForm_unlessTheFormIsGiven(String name, String format, String form)
      throws IOException {
    Path file = folder.resolve(name);
    var variables = Map.of("NVIDIA_CTK_CDI_OUTPUT_FILE_PATH", file.toString());
    var run = run(variables, format == null ? "--mode=nvml" : "--format=" + format);
    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(Files.readString(file)).startsWith(form.equals("json") ? "{" : "---");
    assertThat(run.errors().lines().filter(line -> line.contains("as --format says")))
        .hasSize(format == null ? 0 : 1);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "GPU-12345678-1234-1234-1234-123456780001,1", "'0,1',2", "all,2"})
  void devicesAreThoseThatAreNamed(String ids, int count) throws IOException {
    var made = made(Map.of(), "--devices=" + ids, "--device-name-strategy=uuid");
    assertThat(made.path("devices")).hasSize(count + 1);
  }

  @Test
  void noneIsADeviceWithoutAGpu() throws IOException {
    var devices = made(Map.of(), "--device-id=none").path("devices");
    assertThat(devices.findValuesAsText("name")).containsExactly("none");
    assertThat(devices.findValues("deviceNodes")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--device-id=7 | --device-id is '7': this node has no such device; give all, none, or any of 0, GPU-",
        "--library-search-path=/x | --library-search-path (NVIDIA_CTK_CDI_GENERATE_LIBRARY_SEARCH_PATHS) is '/x': leave it out",
        "--config-search-path=/x | --config-search-path (NVIDIA_CTK_CDI_GENERATE_CONFIG_SEARCH_PATHS) is '/x': leave it out",
        "--ldconfig-path=/x | --ldconfig-path (NVIDIA_CTK_CDI_GENERATE_LDCONFIG_PATH) is '/x': leave it out",
        "--csv.file=/x | --csv.file (NVIDIA_CTK_CDI_GENERATE_CSV_FILES) is '/x': leave it out",
        "--format=xml | --format is 'xml': give one of yaml, json",
      })
  void unsupportedOption_isNamedInOneLine(String flag, String problem) {
    var run = run(Map.of(), flag);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).startsWith(problem).hasLineCount(1);
    assertThat(run.output()).isEmpty();
  }

  private JsonNode made(Map<String, String> variables, String... flags) throws IOException {
    var run = run(variables, flags);
    assertThat(run.exitCode()).as(run.errors()).isZero();
    return run.output().startsWith("{")
        ? new ObjectMapper().readTree(run.output())
        : new YAMLMapper().readTree(run.output());
  }

  private CommandRun run(Map<String, String> variables, String... flags) {
    var all = new ArrayList<>(List.of("cdi"));
    all.addAll(List.of(flags));
    all.add("--host-root=" + node.hostRoot());
    all.add("--driver-root=" + node.options().driverRoot());
    return CommandRun.of(new NvmlReader(), variables, all.toArray(String[]::new));
  }
}
