package dev.pitcrew.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.TimeEncoding;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.operator.web.ManagementAddresses;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PitcrewCommandTest {
  private static final Map<String, String> POD =
      Map.of("OPERATOR_NAMESPACE", "gpu-operator", "POD_NAME", "gpu-operator-7f");

  private final List<Object> started = new ArrayList<>();
  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @Test
  void operatorRunsWithTheReferencesDefaults() {
    assertThat(run(POD, "operator")).isZero();
    assertThat(started)
        .containsExactly(
            new OperatorOptions(
                "gpu-operator",
                "gpu-operator-7f",
                "",
                new ManagementAddresses(
                    new BindAddress.Listen("", 8080), new BindAddress.Listen("", 8081)),
                new LeaderElection(
                    false,
                    "gpu-operator",
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(2)),
                Duration.ofMinutes(10),
                LogOptions.production()));
  }

  @Test
  void operatorTakesFlags() {
    run(
        POD,
        "operator",
        "--leader-elect",
        "--leader-lease-renew-deadline=60s",
        "--leader-elect-namespace",
        "leases",
        "--resync-period=1m30s",
        "--metrics-bind-address=0",
        "--health-probe-bind-address=127.0.0.1:0",
        "--kubeconfig=/k",
        "--zap-time-encoding=epoch",
        "--zap-log-level=debug",
        "--zap-encoder=console",
        "--zap-stacktrace-level=error",
        "--zap-devel=false");

    assertThat(started)
        .containsExactly(
            new OperatorOptions(
                "gpu-operator",
                "gpu-operator-7f",
                "/k",
                new ManagementAddresses(
                    new BindAddress.Off(), new BindAddress.Listen("127.0.0.1", 0)),
                new LeaderElection(
                    true,
                    "leases",
                    Duration.ofSeconds(65),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(2)),
                Duration.ofSeconds(90),
                new LogOptions(LogEncoder.CONSOLE, TimeEncoding.EPOCH, Level.FINE)));
  }

  @ParameterizedTest
  @CsvSource({
    "--leader-elect, true",
    "--leader-elect=true, true",
    "--leader-elect=false, false",
    "'', false"
  })
  void flagsAreSwitchedAsInGo(String flag, boolean enabled) {
    run(POD, flag.isEmpty() ? new String[] {"operator"} : new String[] {"operator", flag});

    assertThat(((OperatorOptions) started.getFirst()).leaderElection().enabled())
        .isEqualTo(enabled);
  }

  @Test
  void develChangesDefaultsOnly() {
    run(POD, "operator", "--zap-devel", "--zap-log-level=error");

    assertThat(((OperatorOptions) started.getFirst()).logging())
        .isEqualTo(new LogOptions(LogEncoder.CONSOLE, TimeEncoding.ISO8601, Level.SEVERE));
  }

  @Test
  void operatorNeedsItsNamespaceAndALeaderItsName() {
    assertThat(run(Map.of("OPERATOR_NAMESPACE", ""), "operator")).isEqualTo(1);
    assertThat(errors.toString()).startsWith("OPERATOR_NAMESPACE is not set");

    assertThat(run(Map.of("OPERATOR_NAMESPACE", "n"), "operator", "--leader-elect")).isEqualTo(1);
    assertThat(errors.toString()).contains("POD_NAME is not set");

    assertThat(
            run(Map.of("OPERATOR_NAMESPACE", "n", "HOSTNAME", "h"), "operator", "--leader-elect"))
        .isZero();
    assertThat(((OperatorOptions) started.getFirst()).podName()).isEqualTo("h");
  }

  @ParameterizedTest
  @CsvSource({
    "--metrics-bind-address=8080, 'Invalid value for option ''--metrics-bind-address'': \"8080\" is no address to listen on'",
    "--leader-lease-renew-deadline=60, 'Invalid value for option ''--leader-lease-renew-deadline'': ''60'' is no duration'",
    "--zap-log-level=loud, '''loud'' is none of: debug, info, error, panic'",
    "--zap-encoder=xml, '''xml'' is none of: json, console'",
    "--zap-time-encoding=unix, '''unix'' is none of: epoch,'",
    "--no-such-flag, 'Unknown option: ''--no-such-flag'''",
  })
  void wrongUsageNamesTheFlagAndTheValue(String flag, String message) {
    assertThat(run(POD, "operator", flag)).isEqualTo(2);
    assertThat(errors.toString()).contains(message);
    assertThat(started).isEmpty();
  }

  @Test
  void definitionsAreChosenByPath() {
    assertThat(run(Map.of(), "manage-crds", "apply", "-f", "/a", "--filepath=/b", "-d")).isZero();
    assertThat(run(Map.of(), "manage-crds", "apply", "--fleet-policy={\"a\": 1}")).isZero();
    assertThat(run(Map.of("DEBUG", "true"), "manage-crds", "delete", "--kubeconfig=/k")).isZero();

    assertThat(started)
        .containsExactly(
            "apply",
            new CrdOptions(List.of(Path.of("/a"), Path.of("/b")), "", true),
            "apply",
            new CrdOptions(List.of(), "", false, Optional.of("{\"a\": 1}")),
            "delete",
            new CrdOptions(List.of(), "/k", true));
  }

  @Test
  void manageCrdsAloneIsWrongUsage() {
    assertThat(run(Map.of(), "manage-crds")).isEqualTo(2);
    assertThat(run(Map.of())).isEqualTo(2);
  }

  @Test
  void cleanupHasADeadlineAndSparesTheDefinitions() {
    assertThat(run(POD, "cleanup")).isZero();
    assertThat(run(POD, "cleanup", "--timeout=1m30s", "--delete-crds")).isZero();
    assertThat(run(Map.of(), "cleanup")).isEqualTo(1);

    assertThat(started)
        .containsExactly(
            new CleanupOptions("gpu-operator", "", Duration.ofMinutes(5), false),
            new CleanupOptions("gpu-operator", "", Duration.ofSeconds(90), true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"operator", "manage-crds", "cleanup"})
  void helpExplainsEachCommand(String command) {
    assertThat(run(Map.of(), "--help")).isZero();
    assertThat(output.toString()).contains(command, "Exit codes:", "0   done");

    assertThat(run(Map.of(), command, "--help")).isZero();
    assertThat(output.toString()).contains("Usage: pitcrew " + command);
    assertThat(started).isEmpty();
  }

  @Test
  void nestedCommandsExplainThemselvesToo() {
    assertThat(run(Map.of(), "manage-crds", "apply", "-h")).isZero();
    assertThat(output.toString()).contains("Usage: pitcrew manage-crds apply", "--filepath");
  }

  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "15s, PT15S",
    "1m30s, PT1M30S",
    "1.5h, PT1H30M",
    "500ms, PT0.5S",
    "2h3m4s, PT2H3M4S",
    "1us, PT0.000001S",
    "7ns, PT0.000000007S",
  })
  void durationsAreWrittenAsInGo(String text, String duration) {
    assertThat(new GoDuration().convert(text)).isEqualTo(Duration.parse(duration));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "15", "-1s", "1d", "1s2", "s", "1 s"})
  void otherDurationsAreRefused(String text) {
    assertThat(run(POD, "cleanup", "--timeout=" + text)).isEqualTo(2);
  }

  @Test
  void aPlanIsOfTheVersionThatIsAskedForAndOfTheOperatorsNamespace() {
    assertThat(run(POD, "rollout", "plan", "--version", "600.10.01", "-o", "json")).isZero();
    assertThat(run(Map.of(), "rollout", "plan", "--kubeconfig=/k", "--nvidia-driver=red")).isZero();

    assertThat(started)
        .containsExactly(
            "plan",
            new RolloutOptions("gpu-operator", "", "", "600.10.01", true, false),
            "plan",
            new RolloutOptions("gpu-operator", "/k", "red", "", false, false));
  }

  @Test
  void aStatusMayBeWatched() {
    assertThat(run(POD, "rollout", "status", "--watch", "-n", "gpus")).isZero();
    assertThat(started)
        .containsExactly("status", new RolloutOptions("gpus", "", "", "", false, true));

    assertThat(run(POD, "rollout", "status", "-o", "yaml")).isEqualTo(2);
  }

  @Test
  void rolloutExplainsItself() {
    assertThat(run(POD, "rollout", "plan", "--help")).isZero();
    assertThat(output.toString()).contains("pitcrew rollout plan --version 600.10.01");
  }

  private int run(Map<String, String> environment, String... arguments) {
    return PitcrewCommand.create(
            new Programs(this::start, new Recorder(), this::start, new Looker()), environment)
        .setOut(new PrintWriter(output, true))
        .setErr(new PrintWriter(errors, true))
        .execute(arguments);
  }

  private int start(Object options) {
    started.add(options);
    return 0;
  }

  private final class Looker implements RolloutProgram {
    @Override
    public int plan(RolloutOptions options) {
      start("plan");
      return start(options);
    }

    @Override
    public int status(RolloutOptions options) {
      start("status");
      return start(options);
    }
  }

  private final class Recorder implements CrdProgram {
    @Override
    public int apply(CrdOptions options) {
      start("apply");
      return start(options);
    }

    @Override
    public int delete(CrdOptions options) {
      start("delete");
      return start(options);
    }
  }
}
