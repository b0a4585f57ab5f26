package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whole specifications, against those that the reference wrote.
class FactsTest {
  private static final String NVML = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so." + Node.DRIVER;

  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @ValueSource(
      strings = {"full", "uuid", "mig-balanced", "plugin-cdi-annotations", "plugin-cdi-cri"})
  void specificationIsTheReferences(String name) throws IOException {
    Fact fact = Fact.read(name);
    CdiInput found = read(fact, folder);
    CdiInput input =
        new CdiInput(
            found.inventory(),
            found.root(),
            found.driver(),
            new DeviceNodes(fact.nodes(), Map.of(), List.of()));

    assertThat(specification(input, fact)).isEqualTo(fact.specification());
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "mig-balanced"})
  void deviceNodesAreReadFromTheDriverRoot(String name) throws Exception {
    Fact fact = Fact.read(name);
    boolean made = driver(fact, folder).makeNodes(fact.nodes());
    assumeTrue(made, "device nodes are made by root only");

    assertThat(specification(read(fact, folder), fact)).isEqualTo(fact.specification());
  }

  static CdiInput read(Fact fact, Path folder) throws IOException {
    return CdiInput.read(
        Node.of(fact), driver(fact, folder).root(), new HostRoot(folder.resolve("host")));
  }

  private static FakeDriver driver(Fact fact, Path folder) throws IOException {
    FakeDriver driver = new FakeDriver(folder.resolve("driver"));
    driver.files(fact.files()).library(NVML, "libnvidia-ml.so.1");
    Path link = driver.folder().resolve("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1");
    if (!Files.isSymbolicLink(link)) {
      driver.link("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "libnvidia-ml.so." + Node.DRIVER);
    }
    return driver;
  }

  static JsonNode specification(CdiInput input, Fact fact) {
    var generated = CdiSpecifications.generate(input, options(fact));
    assertThat(generated.omissions()).isEmpty();
    assertThat(generated.specifications()).hasSize(1);
    CdiSpecification only = generated.specifications().getFirst();
    if (fact.content().has("file")) {
      assertThat(CdiDocument.JSON.fileName(only)).isEqualTo(fact.content().path("file").asText());
    }
    return Fact.parse(CdiDocument.JSON.text(only));
  }

  private static CdiOptions options(Fact fact) {
    if (fact.name().startsWith("plugin")) {
      return CdiOptions.ofPlugin();
    }
    List<DeviceNaming> namings =
        Arrays.stream(fact.content().path("args").asText().split(" "))
            .filter(arg -> arg.startsWith("--device-name-strategy="))
            .map(arg -> DeviceNaming.of(arg.substring(arg.indexOf('=') + 1)).orElseThrow())
            .toList();
    CdiOptions options = CdiOptions.ofToolkit();
    return namings.isEmpty() ? options : options.withNamings(namings);
  }
}
