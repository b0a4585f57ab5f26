package dev.pitcrew.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.api.computedomain.ComputeDomainClique;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.api.gpucluster.GpuCluster;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.api.nvidiadriver.NvidiaDriver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/// The definitions as trees, and which record reads which kind.
final class Definitions {
  private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder().build());

  static final Map<String, Class<? extends Section>> RECORDS =
      Map.of(
          "ClusterPolicy", ClusterPolicy.class,
          "NVIDIADriver", NvidiaDriver.class,
          "GPUCluster", GpuCluster.class,
          "ComputeDomain", ComputeDomain.class,
          "ComputeDomainClique", ComputeDomainClique.class,
          "FleetPolicy", FleetPolicy.class,
          "GPUNode", GpuNode.class);

  private Definitions() {}

  static Stream<JsonNode> all() {
    return Crds.files().stream().map(Definitions::definition);
  }

  static JsonNode definition(String file) {
    return documents(Crds.yaml(file)).getFirst();
  }

  static JsonNode schema(JsonNode definition) {
    return definition.at("/spec/versions/0/schema/openAPIV3Schema");
  }

  static String kind(JsonNode definition) {
    return definition.at("/spec/names/kind").textValue();
  }

  static Class<? extends Section> recordOf(String kind) {
    return Objects.requireNonNull(RECORDS.get(kind), kind);
  }

  static List<JsonNode> documents(String yaml) {
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      return documents.readAll();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  static String resource(String path) {
    try (var stream = Objects.requireNonNull(Definitions.class.getResourceAsStream(path), path)) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
