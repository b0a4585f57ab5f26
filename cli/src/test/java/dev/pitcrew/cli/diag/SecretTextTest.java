package dev.pitcrew.cli.diag;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.diag.Redactions.Kind;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which text is a secret.
class SecretTextTest {
  /// In each of these the secret has the name hunter2.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "password=hunter2",
        "password = hunter2",
        "PASSWORD: hunter2",
        "db.password=hunter2,with,commas",
        "DB_PASS=hunter2",
        "dbPassword: hunter2 with blanks",
        "  - password: hunter2 with blanks",
        "\"password\": \"hunter2 with blanks\",",
        "{\"a\":{\"clientSecret\":\"hunter2\"},\"b\":1}",
        "msg=\"login\" body=\"{\\\"password\\\":\\\"hunter2 with blanks\\\",\\\"a\\\":1}\"",
        "{\\\\\\\"token\\\\\\\":\\\\\\\"hunter2\\\\\\\"}",
        "\"password\": \"it is \\\"hunter2\\\" hunter2\"",
        "tokens: [hunter2, hunter2]",
        "{\"tokens\":[\"hunter2\",\"b hunter2\"]}",
        "password: |\n  hunter2\n  hunter2",
        "password: >-\n\n  hunter2",
        "password:\n  - hunter2",
        "password: \"hunter2\n  hunter2\"",
        "env:\n- name: DB_PASSWORD\n  value: hunter2 with blanks",
        "- name: DB_PASSWORD\n  value: |\n    hunter2",
        "[{\"name\":\"API_TOKEN\",\"value\":\"hunter2\"}]",
        "{\\\"key\\\":\\\"apiKey\\\",\\\"value\\\":\\\"hunter2\\\"}",
        "machine nvcr.io login $oauthtoken password hunter2",
        "kubectl create secret generic a --from-literal=b=hunter2",
        "redirect=https%3A%2F%2Fa%3Fclient_secret%3Dhunter2",
        "--password hunter2 --verbose",
        "--registry-token=hunter2",
        "curl -u admin:hunter2 https://example.com",
        "curl -sS --user=admin:hunter2 https://example.com",
        "docker login -u admin -p hunter2 nvcr.io",
        "sshpass -p hunter2 ssh node",
        "mysql -uroot -phunter2",
        "CREATE USER a IDENTIFIED BY 'hunter2'",
        "<property><password>hunter2</password></property>",
        "https://user:hunter2@example.com/path",
        "https://user:hun/hunter2@example.com/path",
        "https://user:p@hunter2@example.com/path",
        "https://hunter2@github.com/a/b",
        "redis://:hunter2@redis:6379/0",
        "root:hunter2@tcp(db:3306)/x",
        "https://example.com/a?x=1&access_token=hunter2&y=2",
        "https://a.blob.core.windows.net/c?sv=2024&sig=hunter2%3D",
        "AccountName=a;AccountKey=hunter2==;EndpointSuffix=core.windows.net",
        "Authorization: Bearer hunter2hunter2",
        "authorization: hunter2",
        "\"Authorization\":[\"Basic hunter2\"]",
        "Proxy-Authorization: Digest username=\"a\", response=\"hunter2\"",
        "curl -H 'Authorization: Token hunter2' https://example.com",
        "sent bearer hunter2hunter2abc to the server",
        "Cookie: session=1; id=hunter2",
        "X-Api-Key: hunter2",
        "X-Vault-Token: hunter2",
        "api_key='hunter2 with blanks'",
        "apikey => hunter2",
        "AWS_SECRET_ACCESS_KEY=hunter2",
        "license-key: hunter2",
        "pass\u001b[0mword=hunter2",
        "password=\u001b[31mhunter2",
        "password\t:\thunter2",
        "https://hooks.slack.com/services/T00/B00/hunter2",
        "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
        "key \"-----BEGIN RSA PRIVATE KEY-----\\nhunter2\\n-----END RSA PRIVATE KEY-----\\n\"",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2 and no end",
        "line of a log\nhunter2\n-----END EC PRIVATE KEY-----",
      })
  void secretIsReplaced(String text) {
    assertThat(redacted(text)).doesNotContain("hunter2").contains(Redactions.MARK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl-_x",
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMyJ9.eyJpc3",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrst",
        "glpat-abcdefghij0123456789",
        "xoxb-123456789012-abcdef",
        "nvapi-AbCdEf0123456789AbCdEf",
        "hf_AbCdEfGhIjKlMnOpQrSt",
        "hvs.CAESIAbCdEf0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "$2y$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUV0123456789",
        "abcdef.0123456789abcdef",
        "kd8Fq2LmZp0XvB7tRw5YcN3sHj9GuE1aKo4TiVxD",
        "eyd7ImF1dGhzIjp7Im52Y3IuaW8iOnsicGFzc3dvcmQiOiJodW50ZXIyIn19fQ==",
      })
  void tokensAreKnownWithoutAName(String token) {
    assertThat(redacted("before " + token + " after"))
        .matches("before \\[redacted: [a-z ]+] after");
  }

  /// What an engineer has to see.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GPU-8f3c1e4a-9b2d-4c5e-8f1a-2b3c4d5e6f70",
        "MIG-GPU-8f3c1e4a-9b2d-4c5e-8f1a-2b3c4d5e6f70/7/0",
        "nvcr.io/nvidia/driver@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "containerd://9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "/usr/local/nvidia/toolkit/nvidia-container-runtime.cdi",
        "https://10.0.0.1:10250/containerLogs/gpu-operator/pitcrew-agent-x7k2p/pitcrew-agent?timestamps=true",
        "https://example.com:8443/@scope/package",
        "secretName: licensing-config",
        "imagePullSecrets: [ngc-secret]",
        "--token-file=/var/run/secrets/kubernetes.io/serviceaccount/token",
        "secret \"ngc-secret\" not found",
        "serviceAccountName: nvidia-driver",
        "automountServiceAccountToken: true",
        "password: null",
        "--authorization-mode=Node,RBAC",
        "passes 3 of 4 checks",
        "- name: LOG_LEVEL\n  value: debug",
        "author: nvidia",
        "rbac.authorization.k8s.io/v1",
        "basic information about the GPU",
        "NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', GPU has fallen off the bus.",
        "dev.pitcrew.agent.validation.ValidationController$ObservationOfTheDriver2Containers",
        "2026-11-29T09:14:07.123456789Z stderr F GPU 5 (0000:05:00.0)",
      })
  void whatIsNoSecretStays(String text) {
    assertThat(redacted(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "see https://u:p@host/x and y     | see https://[redacted: credentials in an address]@host/x and y",
        "{\"password\":\"p\",\"pod\":\"x\"}   | {\"password\":\"[redacted: value with the name of a secret]\",\"pod\":\"x\"}",
        "a token=abc next=1               | a token=[redacted: value with the name of a secret] next=1",
        "a\u202eb\u0007c                  | a\\u202eb\\u0007c",
      })
  void restOfTheTextStays(String text, String expected) {
    assertThat(redacted(text)).isEqualTo(expected);
  }

  @Test
  void eachSecretIsCountedOnce_alsoWhenTextIsRedactedTwice() {
    String text = "password=hunter2 https://u:p@h/ Authorization: Bearer abcdefgh1\ntoken: abc";
    var first = new ArrayList<Kind>();
    String once = SecretText.redact(text, first::add);
    var second = new ArrayList<Kind>();

    assertThat(SecretText.redact(once, second::add)).isEqualTo(once);
    assertThat(first)
        .containsExactlyInAnyOrder(
            Kind.NAMED_SECRET, Kind.URL_CREDENTIALS, Kind.AUTHORIZATION, Kind.NAMED_SECRET);
    assertThat(second).isEmpty();
  }

  /// A text that is made to be slow or to exhaust the stack, as a log may be.
  @ParameterizedTest
  @MethodSource("longTexts")
  void longTextsAreRedactedInLinearTime(String text) {
    assertThat(redacted(text + "\npassword=hunter2")).doesNotContain("hunter2");
  }

  static Stream<String> longTexts() {
    int length = 300_000;
    return Stream.of(
            "a",
            "\\\"",
            "password",
            "password=",
            "token:",
            "://",
            "://a:b@",
            "eyJ",
            "A1b",
            "curl ",
            "login ",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----\n",
            "password: |\n ",
            "bearer ",
            "{\"a\":",
            "x.",
            "[",
            "Basic ",
            "\u001b[")
        .map(it -> it.repeat(length / it.length()));
  }

  private static String redacted(String text) {
    return SecretText.redact(text, _ -> {});
  }
}
