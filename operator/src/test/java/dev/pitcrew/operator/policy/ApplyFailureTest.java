package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What users read about an object that could not be applied.
class ApplyFailureTest {
  private static final String OBJECT = "DaemonSet gpu-operator/driver";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          500 | Internal error occurred: failed calling webhook "w" | HTTP 500 | delete its configuration: `kubectl get mutatingwebhookconfigurations,
          404 | namespaces "gpu-operator" not found                 | HTTP 404 | `kubectl get namespaces`
          409 | the object has been modified                        | HTTP 409 | `kubectl get DaemonSet driver -n gpu-operator -o yaml --show-managed-fields`
          413 | Request entity too large: limit is 3145728          | HTTP 413 | shorten the field
          429 | too many requests                                   | HTTP 429 | `kubectl get --raw '/readyz?verbose'`
          503 | apiserver is shutting down                          | HTTP 503 | `kubectl get --raw '/readyz?verbose'`
          -1  | java.io.IOException: no answer within 60 s          | no answer | `kubectl get --raw '/readyz?verbose'`
          """)
  void aFailureNamesObjectReasonAndRemedy(int status, String said, String answer, String remedy) {
    assertThat(ApplyFailure.failed(OBJECT, status, said).message())
        .startsWith(OBJECT + " could not be applied: " + answer + ": " + said + "; ")
        .contains(remedy)
        .endsWith("; it is tried again automatically");
  }

  @Test
  void anObjectWithoutNamespaceIsNamedAsKubectlTakesIt() {
    assertThat(ApplyFailure.failed("ClusterRole driver", 409, "conflict").message())
        .contains("`kubectl get ClusterRole driver -o yaml");
  }

  @ParameterizedTest
  @CsvSource({
    "read tcp 10.0.0.7:41234->10.0.0.9:443: read: reset, read tcp 10.0.0.7->10.0.0.9:443: read: reset",
    "dial tcp [::1]:1: refused, dial tcp [::1]:1: refused",
    "read udp [fd00::7]:41234->[fd00::a]:53: i/o timeout, read udp [fd00::7]->[fd00::a]:53: i/o timeout",
  })
  void theSameTroubleHasTheSameText(String said, String reported) {
    assertThat(ApplyFailure.failed(OBJECT, 500, said).message())
        .contains("HTTP 500: " + reported + ";");
  }
}
