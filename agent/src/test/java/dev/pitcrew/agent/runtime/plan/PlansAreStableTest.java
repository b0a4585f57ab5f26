package dev.pitcrew.agent.runtime.plan;

import static dev.pitcrew.agent.runtime.plan.Configs.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Whatever a node's files are: a plan that was carried out leaves nothing to do, and taking it
/// back gives every byte as it was.
class PlansAreStableTest {
  static Stream<Configs> filesOfContainerd() {
    return files()
        .filter(configs -> configs.kind() == RuntimeKind.CONTAINERD && configs.main().isPresent());
  }

  static Stream<Configs> files() {
    return Stream.concat(
        Stream.of("1.7.28", "2.0.7", "2.1.4", "2.4.1", "unknown")
            .flatMap(version -> mains().map(main -> Configs.containerd(version, main))),
        Stream.of(
            Configs.containerd("1.7.28", "").withoutMain(),
            Configs.containerd(
                    "2.1.4", "version = 3\nimports = ['/etc/containerd/conf.d/*.toml']\n")
                .with(
                    "/etc/containerd/conf.d/10-a.toml",
                    "version = 3\n[plugins.'io.containerd.cri.v1.runtime']\nenable_selinux = true\n"),
            Configs.crio(CrioPlanTest.DISTRIBUTION),
            Configs.docker(""),
            Configs.docker("{}"),
            Configs.docker("{\n  \"features\": {\"buildkit\": true},\n  \"mtu\": 1400\n}"),
            Configs.docker(
                "{\"runtimes\": {\"other\": {\"path\": \"x\"}},\"features\":{\"cdi\":false}}")));
  }

  private static Stream<String> mains() {
    return Stream.of(
        "version = 2\n",
        "version = 3",
        "# only words\n",
        "version = 2\r\nroot = \"/data\"\r\n[plugins]\r\n",
        "root = '/r'\nversion = 3\nimports = ['/a.toml']\n[debug]\n  level = 'info'\n",
        "imports = [\n  # nothing\n]\nversion = 2\n",
        "version = 2\nimports = ['a.toml', # a ' quote and a ]\n  \"b.toml\" ,\n]\n[metrics]\n",
        "version = 3\n[plugins.'io.containerd.nri.v1.nri']\n  disable = true\n",
        "version = 2\n[proxy_plugins.x]\n  type = \"snapshot\"\n  address = \"/run/\\\"x\\\".sock\"\n");
  }

  @ParameterizedTest
  @MethodSource("files")
  void carriedOutItLeavesNothingToDo(Configs configs) {
    RuntimeInput after = configs.input().after(configs.edits(ALL));
    assertThat(RuntimePlan.of(configs.kind(), after, ALL)).isInstanceOf(RuntimePlan.Nothing.class);
  }

  @ParameterizedTest
  @MethodSource("files")
  void undo_restoresEveryByte(Configs configs) {
    List<Edit> edits = configs.edits(ALL);
    RuntimeInput after = configs.input().after(edits);
    Receipt receipt = Receipt.of(configs.kind()).before(edits);
    RuntimeInput undone = undone(configs, after, Optional.of(receipt));
    assertThat(undone.main()).isEqualTo(configs.main());
    assertThat(undone.dropIn()).isEqualTo(configs.dropIn());
    assertThat(RuntimeUndo.of(configs.kind(), undone, Optional.of(receipt)))
        .isInstanceOf(RuntimePlan.Nothing.class);
  }

  /// The agent's memory may be lost; a main file that was not there before stays with its version
  /// only.
  @ParameterizedTest
  @MethodSource("filesOfContainerd")
  void containerdsOwnFileThatAUserEdits_losesOnlyOurImport(Configs configs) {
    RuntimeInput after = configs.input().after(configs.edits(ALL));
    String more = "\n[timeouts]\n  x = '1s'\n";
    Configs edited = configs.withMain(after.main().orElseThrow() + more);
    RuntimeInput undone =
        undone(
            configs,
            edited
                .input()
                .after(List.of(new Edit(after.dropInPath(), Optional.empty(), after.dropIn()))),
            Optional.of(Receipt.of(configs.kind()).before(configs.edits(ALL))));
    assertThat(undone.main().orElseThrow()).endsWith(more).doesNotContain("pitcrew");
    assertThat(undone.dropIn()).isEmpty();
  }

  private static RuntimeInput undone(Configs configs, RuntimeInput now, Optional<Receipt> receipt) {
    return switch (RuntimeUndo.of(configs.kind(), now, receipt)) {
      case RuntimePlan.Edits(var edits, _) -> now.after(edits);
      case RuntimePlan.Nothing _ -> now;
      case RuntimePlan.Refused(var problem) -> throw new AssertionError(problem.message());
    };
  }
}
