package dev.pitcrew.cli.command;

import dev.pitcrew.cli.diag.Diagnosis;
import dev.pitcrew.cli.diag.Progress;
import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Style;
import dev.pitcrew.cli.print.Terminal;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "diag",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Collects what is needed to find out why GPUs do not work in one zip file, without secrets.",
      "index.html in it is the page to begin with. Exit code 1 says that something could not be read."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu diag                  # nodes that are not ready, and three that are",
      "  kubectl gpu diag --node gpu-7 -f gpu-7.zip --since 2h"
    })
final class DiagCommand extends ClusterCommand {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  /// A list of 500 pods with all their fields, over a slow link.
  private static final Duration LEAST_OF_LISTS = Duration.ofSeconds(30);

  /// A kubelet on a busy node.
  private static final Duration LEAST_OF_NODES = Duration.ofSeconds(10);

  @Option(
      names = "--node",
      paramLabel = "<name>",
      split = ",",
      description =
          "Only this node, and the cluster's own objects; may be given several times (default: up to 20 nodes that are not ready and 3 that are).")
  List<String> nodes = new ArrayList<>();

  @Option(
      names = {"-f", "--output"},
      paramLabel = "<file>",
      defaultValue = "",
      description = "The file to write (default: gpu-diag-TIME.zip in this folder).")
  String output = "";

  @Option(names = "--force", description = "Replace the file if it is there.")
  boolean force;

  @Option(
      names = "--since",
      paramLabel = "<duration>",
      converter = ConnectionFlags.GoDuration.class,
      description = "Only logs and Events of this time, such as 2h (default: all).")
  Optional<Duration> since = Optional.empty();

  @Option(
      names = "--max-size",
      paramLabel = "<size>",
      defaultValue = "100Mi",
      converter = Size.class,
      description =
          "How large all files together may be before they are compressed (default: ${DEFAULT-VALUE}).")
  long most;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "<name>",
      defaultValue = "",
      description = "Namespace of the operator (default: where its pods are).")
  String namespace = "";

  @Option(
      names = "--no-exec",
      description =
          "Run no command in the pods of agents: what they answer to pitcrew validate is missing then.")
  boolean noExec;

  DiagCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() throws InterruptedException {
    nodes.forEach(it -> Names.require("node", it));
    if (!namespace.isEmpty()) {
      Names.require("namespace", namespace);
    }
    Instant now = session.clock().instant();
    Path target =
        Path.of(output.isEmpty() ? "gpu-diag-%s.zip".formatted(TIME.format(now)) : output)
            .toAbsolutePath();
    requireWritable(target);
    var order = new Diagnosis.Order(target, force, most, nodes, namespace, since, !noExec);
    try {
      Diagnosis.Result result =
          Diagnosis.run(
              new Diagnosis.Connection(
                  cluster(),
                  connection.kubectl(session, LEAST_OF_LISTS),
                  connection.kubectl(session, LEAST_OF_NODES)),
              order,
              new Progress(session.err(), session.clock()),
              GpuCommand.Build.version(),
              now);
      print(target, result);
      return result.problems() == 0 ? ExitCodes.OK : ExitCodes.PROBLEM;
    } catch (FileAlreadyExistsException _) {
      throw exists(target);
    } catch (IOException failed) {
      throw Names.wrong("%s cannot be written: %s".formatted(target, reason(failed)));
    }
  }

  private void requireWritable(Path target) {
    if (Files.isDirectory(target)) {
      throw Names.wrong("%s is a folder: give the name of a file in it".formatted(target));
    }
    if (!force && Files.exists(target)) {
      throw exists(target);
    }
    Path folder = target.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw Names.wrong(
          "there is no folder %s: create it, or give another file with -f".formatted(folder));
    }
  }

  private static RuntimeException exists(Path target) {
    return Names.wrong(
        "%s is there already: give another file with -f, or --force".formatted(target));
  }

  private static String reason(IOException failed) {
    return failed instanceof FileSystemException of && of.getReason() != null
        ? of.getReason()
        : failed instanceof AccessDeniedException
            ? "you may not write in its folder"
            : String.valueOf(failed.getMessage());
  }

  private void print(Path target, Diagnosis.Result result) {
    var screen =
        new Screen(
            session.out(), Terminal.of(session.environment(), session.out().charset(), true));
    screen.paragraph(
        "",
        Style.PLAIN,
        "%s: %d files, %d KiB, details of %d nodes"
            .formatted(target, result.files(), target.toFile().length() >> 10, result.nodes()));
    screen.paragraph(
        "",
        Style.PLAIN,
        "%d values redacted: look through the files before you give them to others"
            .formatted(result.redacted()));
    if (result.problems() + result.leftOut() > 0) {
      screen.paragraph(
          "",
          Style.PLAIN,
          "%d could not be read, %d left out: errors.txt in it says what and why"
              .formatted(result.problems(), result.leftOut()));
    }
  }

  /// Such as `100Mi`.
  static final class Size implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,9})(Ki|Mi|Gi)");

    @Override
    public Long convert(String text) {
      Matcher size = SIZE.matcher(text);
      if (!size.matches()) {
        throw new TypeConversionException(
            "'%s' is no size; give a whole number with its unit, such as 100Mi or 1Gi"
                .formatted(text));
      }
      int power = List.of("Ki", "Mi", "Gi").indexOf(size.group(2)) + 1;
      return Long.parseLong(size.group(1)) << (10 * power);
    }
  }
}
