package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Where the API server is, and where on it an object.
class PlacesTest {

  @Test
  void aPathLeadsToTheObjectAndItsStatus() {
    assertThat(ObjectPath.of("v1", "nodes", "n1.example")).hasToString("/api/v1/nodes/n1.example");
    assertThat(ObjectPath.of("v1", "configmaps", "ns", "c").status())
        .hasToString("/api/v1/namespaces/ns/configmaps/c/status");
    assertThat(ObjectPath.of("pitcrew.dev/v1alpha1", "gpunodes", "n1").status())
        .hasToString("/apis/pitcrew.dev/v1alpha1/gpunodes/n1/status");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "a/b", "a?b", "a%2fb", "A", "-a", "a-", "a..b", "a b", "ä"})
  void aNameThatNoObjectCanHaveIsRefused(String name) {
    assertThat(ObjectPath.isName(name)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectPath.of("v1", "nodes", name))
        .withMessageContaining("'" + name + "'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectPath.of("v1", "configmaps", name, "c"));
  }

  @Test
  void aNameIsBoundedInLength() {
    assertThat(ObjectPath.isName("a".repeat(253))).isTrue();
    assertThat(ObjectPath.isName("a".repeat(254))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "10.96.0.1, 443, https://10.96.0.1:443",
    "fd00::1, 6443, https://[fd00::1]:6443",
    "api.example, 443, https://api.example:443"
  })
  void pod_knowsTheServerByItsEnvironment(String host, String port, String server) {
    var folder = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    assertThat(
            Credentials.ofPod(
                Map.of("KUBERNETES_SERVICE_HOST", host, "KUBERNETES_SERVICE_PORT", port)))
        .contains(
            new Credentials(URI.create(server), folder.resolve("ca.crt"), folder.resolve("token")));
  }

  @Test
  void outsideOfAPodThereAreNoCredentials() {
    assertThat(Credentials.ofPod(Map.of())).isEmpty();
    assertThat(Credentials.ofPod(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1"))).isEmpty();
  }
}
