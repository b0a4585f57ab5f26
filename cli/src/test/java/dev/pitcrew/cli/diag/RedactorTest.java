package dev.pitcrew.cli.diag;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.diag.Redactions.Kind;
import dev.pitcrew.cli.print.Documents;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which fields of objects are secrets.
class RedactorTest {
  private final Redactor redactor = new Redactor();

  /// In each of these the secret has the name hunter2.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "env: [{name: COLOUR, value: hunter2}]",
        "env: [{name: NVIDIA_API_KEY, value: hunter2}]",
        "env: [{name: NVIDIA_SERVER, value: 'https://u:hunter2@h/'}]",
        "env: {COLOUR: hunter2}",
        "env: [COLOUR=hunter2]",
        "env: hunter2",
        "spec: {template: {spec: {initContainers: [{env: [{name: A, value: hunter2}]}]}}}",
        "args: [--password, hunter2]",
        "args: ['--password=hunter2']",
        "command: [sh, -c, 'export PASSWORD=hunter2; run']",
        "command: [sh, -c, \"password: |\\n  hunter2\\n\"]",
        "data: {password: hunter2}",
        "data: {db-password: \"two\\nlines hunter2\"}",
        "data: {tls.key: hunter2}",
        "data: {.dockerconfigjson: '{\"auths\":{\"nvcr.io\":{\"auth\":\"hunter2\"}}}'}",
        "data: {config.yaml: \"user: a\\npassword: hunter2\\n\"}",
        "data: {config.json: '{\"a\":[{\"token\":\"hunter2\"}]}'}",
        "data: {app.properties: 'spring.datasource.password=hunter2'}",
        "binaryData: {a: hunter2}",
        "annotations: {kubectl.kubernetes.io/last-applied-configuration: hunter2}",
        "annotations: {banzaicloud.com/last-applied: hunter2}",
        "annotations: {a/token: hunter2}",
        "annotations: {a: 'https://u:hunter2@h'}",
        "managedFields: [{manager: hunter2}]",
        "kind: Secret\nmetadata: {name: a}\ndata: {a: hunter2}\nstringData: {b: hunter2}",
        "credentials: {login: {user: a, value: hunter2}}",
        "tokens: [hunter2, a]",
        "passwords: [{a: hunter2}]",
        "parameters: [{name: password, value: hunter2}]",
        "parameters: [{key: apiKey, value: [hunter2]}]",
        "status: {conditions: [{message: 'failed with password=hunter2'}]}",
        "password: 'hunter2'",
      })
  void secretIsReplaced(String yaml) {
    assertThat(printed(yaml)).doesNotContain("hunter2");
    assertThat(redactor.counts()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "env: [{name: NVIDIA_VISIBLE_DEVICES, value: stays}]",
        "env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: stays, key: a}}}]",
        "env: [{name: NODE_NAME, value: stays}]",
        "imagePullSecrets: [{name: stays}]",
        "imagePullSecrets: [stays]",
        "volumes: [{secret: {secretName: stays}}]",
        "volumes: [{projected: {sources: [{serviceAccountToken: {path: stays}}]}}]",
        "licensingConfig: {secretName: stays}",
        "csi: {nodePublishSecretRef: {name: stays}}",
        "args: [--token-file, stays]",
        "data: {config.yaml: 'version: stays'}",
        "tolerations: [{key: nvidia.com/gpu, operator: Exists, value: stays}]",
        "labels: {nvidia.com/gpu.product: stays}",
      })
  void whatIsNoSecretStays(String yaml) {
    assertThat(printed(yaml)).contains("stays").doesNotContain(Redactions.MARK);
    assertThat(redactor.counts()).isEmpty();
  }

  @Test
  void eachKindIsCounted() {
    printed(
        """
        metadata: {managedFields: [{manager: a}], annotations: {kubectl.kubernetes.io/last-applied-configuration: a}}
        spec: {env: [{name: A, value: b}, {name: C, value: d}], args: [--password, e]}
        """);

    assertThat(redactor.counts())
        .isEqualTo(
            Map.of(
                Kind.MANAGED_FIELDS,
                1,
                Kind.LAST_APPLIED,
                1,
                Kind.ENVIRONMENT,
                2,
                Kind.NAMED_SECRET,
                1));
  }

  private String printed(String yaml) {
    return Documents.yaml(redactor.object(Objects.json(yaml)));
  }
}
