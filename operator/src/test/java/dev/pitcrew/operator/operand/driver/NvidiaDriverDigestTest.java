package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.render.Volumes;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class NvidiaDriverDigestTest {
  private static final String IMAGES = "nvcr.io/nvidia/";
  private static final String RELEASE = "413.92.202304252344-0";
  private static final String TOOLKIT =
      "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:7fecaebc1d51b28bc3548171907e4d91823a031d7a6a694ab686999be2b4d867";

  @TestFactory
  Stream<DynamicTest> itIsTheOneThatRunningDriversWereInstalledWith() {
    JsonNode vectors =
        Serialization.unmarshal(
            Objects.requireNonNull(getClass().getResourceAsStream("digests.yaml")), JsonNode.class);
    return StreamSupport.stream(vectors.spliterator(), false)
        .map(vector ->
            DynamicTest.dynamicTest(
                vector.path("name").asText(),
                () -> assertThat(digest(vector)).isEqualTo(vector.path("digest").asText())));
  }

  @Test
  void versionsOfReferences_countWhereRequested() {
    JsonNode minimal = Serialization.unmarshal("{}", JsonNode.class);

    assertThat(digest(minimal, "17")).isNotEqualTo(digest(minimal, ""));
    assertThat(digest(minimal, "17")).isNotEqualTo(digest(minimal, "18"));
  }

  /// The reference has no such mount, as its own is in a branch that is never taken.
  @Test
  void filesThatSuseNeedsOfItsHost_doNotCount() {
    var spec = "{usePrecompiled: true, repository: r.io, image: d, version: '1'}";
    var suse = new OsRelease("sles", "15.5");
    var pool = new DriverPool(suse, Optional.of("6.4.0"), Optional.empty(), Map.of());
    var driver =
        new PooledDriver(
            "default",
            "uid",
            Drivers.from(spec),
            "",
            pool,
            "",
            Facts.oneNode().build(),
            Policies.images());
    PodSpec pod = NvidiaDriverRenderer.render(driver).getSpec().getTemplate().getSpec();
    String manager = pod.getInitContainers().getFirst().getImage();
    var main = pod.getContainers().getFirst();
    var paths = new NvidiaDriverDigest.Paths(main.getImage(), manager, "", "", "");

    assertThat(main.getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .contains("/run/host/lib/modules");
    assertThat(main.getEnv())
        .filteredOn(it -> it.getName().equals("DRIVER_CONFIG_DIGEST"))
        .singleElement()
        .satisfies(it ->
            assertThat(it.getValue())
                .isEqualTo(NvidiaDriverDigest.of(driver, paths, AdditionalFiles.NONE)));
  }

  private static String digest(JsonNode vector) {
    return digest(vector, "");
  }

  private static String digest(JsonNode vector, String content) {
    String system = vector.path("openShift").asText();
    Facts facts = facts(system);
    var pool =
        new DriverPool(
            new OsRelease("ubuntu", "22.04"),
            Optional.of(vector.path("kernel").asText()).filter(it -> !it.isEmpty()),
            Optional.of(RELEASE).filter(_ -> !system.isEmpty()),
            Map.of());
    var driver =
        new PooledDriver(
            "default",
            "uid",
            Drivers.from(vector.path("spec").toString()),
            content,
            pool,
            "",
            facts.build(),
            Policies.images());
    return NvidiaDriverDigest.of(driver, paths(vector), files(vector.path("files").asText()));
  }

  private static Facts facts(String openShift) {
    return switch (openShift) {
      case "" -> Facts.oneNode();
      case "plain" -> toolkit();
      default ->
          toolkit()
              .proxy("HTTP_PROXY", "http://user:pass@example:8080")
              .proxy("HTTPS_PROXY", "https://user:pass@example:8085")
              .proxy("NO_PROXY", "internal.example.com")
              .trustedCa("gpu-operator-trusted-ca");
    };
  }

  private static Facts toolkit() {
    return Facts.cluster().openShift("4.13").driverToolkit(Map.of(RELEASE, TOOLKIT));
  }

  private static NvidiaDriverDigest.Paths paths(JsonNode vector) {
    return new NvidiaDriverDigest.Paths(
        vector.path("driver").asText(IMAGES + "driver:525.85.03-ubuntu22.04"),
        IMAGES + "cloud-native/k8s-driver-manager:devel",
        IMAGES + "cloud-native/nvidia-fs:2.16.1",
        vector.path("gdrcopy").asText(IMAGES + "cloud-native/gdrdrv:v2.4.1"),
        TOOLKIT);
  }

  private static AdditionalFiles files(String which) {
    return switch (which) {
      case "" -> AdditionalFiles.NONE;
      case "user" -> userFiles();
      case "licence in a Secret" ->
          licence(Volumes.secret("licensing-config", "licensing-config-secret", List.of()));
      default -> licence(configMap("licensing-config", "licensing-config-configmap"));
    };
  }

  private static AdditionalFiles userFiles() {
    return new AdditionalFiles(
        List.of(configMap("test-cm", "test-cm"), host("test-host-path"), host("test-host-path-ro")),
        List.of(
            mount("test-cm", "/opt/config/test-file", "test-file", true),
            mount("test-host-path", "/opt/config/test-host-path", null, null),
            mount("test-host-path-ro", "/opt/config/test-host-path-ro", null, true)));
  }

  private static AdditionalFiles licence(Volume volume) {
    return new AdditionalFiles(
        List.of(volume),
        Stream.of("gridd.conf", "ClientConfigToken/client_configuration_token.tok")
            .map(file ->
                mount(
                    "licensing-config",
                    "/drivers/" + file,
                    file.substring(file.indexOf('/') + 1),
                    null))
            .toList());
  }

  private static Volume configMap(String volume, String name) {
    return new VolumeBuilder()
        .withName(volume)
        .withNewConfigMap()
        .withName(name)
        .endConfigMap()
        .build();
  }

  private static Volume host(String name) {
    return new VolumeBuilder()
        .withName(name)
        .withNewHostPath("/opt/config/" + name, "DirectoryOrCreate")
        .build();
  }

  private static VolumeMount mount(
      String volume, String path, @Nullable String file, @Nullable Boolean readOnly) {
    return new VolumeMountBuilder()
        .withName(volume)
        .withMountPath(path)
        .withSubPath(file)
        .withReadOnly(readOnly)
        .build();
  }
}
