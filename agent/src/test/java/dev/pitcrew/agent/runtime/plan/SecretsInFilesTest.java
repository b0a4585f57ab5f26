package dev.pitcrew.agent.runtime.plan;

import static dev.pitcrew.agent.runtime.plan.Configs.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The files of runtimes have passwords of registries and proxies. Messages end in conditions,
/// Events and logs, which more people read than these files.
class SecretsInFilesTest {
  private static final String SECRET = "S3cr3t";

  @Test
  void aSettingThatWouldGetLostIsNamedWithoutItsValue() {
    ConfigDump before =
        dump("[plugins.x.configs.'r.example'.auth]\nusername = 'puller'\npassword = 'S3cr3t'\n");
    ConfigDump after = dump("[plugins.x.configs.'r.example'.auth]\npassword = 'S3cr3t-2'\n");
    assertThat(before.lostIn(after, ONE))
        .containsExactly(
            "plugins x configs r.example auth password would change",
            "plugins x configs r.example auth username would be gone");
  }

  @Test
  void aFileThatCannotBeParsedIsNamedWithTheLineAndNoWordOfIt() {
    String toml =
        Configs.containerd("2.1.4", "version = 3\npassword = S3cr3t\n").problem(ONE).message();
    assertThat(toml)
        .startsWith("/etc/containerd/config.toml:2:12: this is no TOML")
        .doesNotContain(SECRET);
    String json = Configs.docker("{\"http-proxy\": S3cr3t}").problem(ONE).message();
    assertThat(json)
        .startsWith("/etc/docker/daemon.json:1:")
        .contains("this is no JSON object")
        .doesNotContain(SECRET);
  }

  @Test
  void fileThatCannotBeRestored_isNotQuoted() {
    String proxy = "{\n  \"proxies\": {\"http-proxy\": \"http://me:S3cr3t@proxy\"},\n";
    // What the agent changes here is no insertion but a value that it replaces.
    Configs before = Configs.docker(proxy + "  \"features\": {\"cdi\": false}\n}\n");
    Receipt receipt = Receipt.of(RuntimeKind.DOCKER).before(before.edits(ONE));
    Configs edited = before.withMain(proxy + "  \"features\": {\"cdi\": true}\n}\n");
    RuntimePlan undo = RuntimeUndo.of(RuntimeKind.DOCKER, edited.input(), Optional.of(receipt));
    assertThat(undo).isInstanceOf(RuntimePlan.Refused.class);
    assertThat(((RuntimePlan.Refused) undo).problem().message())
        .contains("features.cdi", "runtimes")
        .doesNotContain(SECRET);
  }

  private static ConfigDump dump(String text) {
    return ConfigDump.of(text).orElseThrow();
  }
}
