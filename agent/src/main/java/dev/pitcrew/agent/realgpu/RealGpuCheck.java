package dev.pitcrew.agent.realgpu;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.command.NvmlReader;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import dev.pitcrew.hardware.driver.NvmlPath;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.LibraryProbe;
import dev.pitcrew.hardware.nvml.LibraryProbe.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs Pitcrew on a machine with real GPUs and writes down how that went.
@Command(
    name = "real-gpu-check",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    description = {
      "Runs the commands that read, the device plugin behind a stand-in of a kubelet, and as many",
      "scrapes of the metrics as an hour has; looks at the driver's library and at nvidia-smi; and",
      "writes one report, first as text, then as JSON. It takes some three minutes.",
      "It changes no setting of a GPU. UUIDs and the host's name are not in the report."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the report is complete",
      "1:there is no GPU or no driver, or the report is not complete; the reason is shown",
      "2:wrong usage"
    })
public final class RealGpuCheck implements Callable<Integer> {
  /// A call that hangs in the driver holds up the check for so long.
  private static final Duration LIMIT_OF_LIBRARY = Duration.ofMinutes(2);

  private final Map<String, String> environment;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--report",
      paramLabel = "<file>",
      defaultValue = "real-gpu-report.txt",
      description = "The report to write (default: ${DEFAULT-VALUE}).")
  Path report = Path.of("real-gpu-report.txt");

  @Option(
      names = "--driver-root",
      paramLabel = "<folder>",
      defaultValue = "/",
      description =
          "Where the driver's files are; of a driver container /run/nvidia/driver (default: ${DEFAULT-VALUE}).")
  String driverRoot = "/";

  @Option(
      names = "--scrape-seconds",
      paramLabel = "<number>",
      defaultValue = "60",
      description = "In which time an hour's scrapes are made (default: ${DEFAULT-VALUE}).")
  int scrapeSeconds = 60;

  @Option(
      names = "--record",
      hidden = true,
      description = "Print what the library answers, one call a line, in place of a check.")
  boolean isRecording;

  RealGpuCheck(Map<String, String> environment) {
    this.environment = environment;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new RealGpuCheck(System.getenv())).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (scrapeSeconds < 1) {
      return refuse("--scrape-seconds is '%d': give 1 or more".formatted(scrapeSeconds), 2);
    }
    var host = new HostRoot(Path.of("/"));
    var finder = DriverRootFinder.configured(host, Optional.empty(), driverRoot, Optional.empty());
    var places = new NodePlaces(host, finder, Optional.empty());
    return switch (new NvmlReader().read(places)) {
      case Reading.NoDriver(var reason) ->
          refuse(
              "no GPU can be read: %s; install or load the NVIDIA driver, or say with --driver-root where a driver container has it"
                  .formatted(reason),
              1);
      case Reading.Read(var inventory) when inventory.gpus().isEmpty() ->
          refuse(
              "the driver is loaded and has no GPU; look at dmesg, and at lspci -d 10de: for the boards",
              1);
      case Reading.Read _ -> check(NvmlPath.in(finder.now().files()));
    };
  }

  private int refuse(String why, int exitCode) {
    spec.commandLine().getErr().println(why);
    return exitCode;
  }

  private int check(String library) throws IOException, InterruptedException {
    var findings = findings(library);
    if (isRecording) {
      findings.ifPresent(
          found -> LibraryStep.recording(found).forEach(spec.commandLine().getOut()::println));
      spec.commandLine().getOut().flush();
      return findings.isPresent() ? 0 : 1;
    }
    var home = Path.of(environment.getOrDefault("PITCREW_HOME", "."));
    var folder = Files.createTempDirectory("real-gpu-check");
    try {
      var programs =
          new Programs(home.resolve("pitcrew"), List.of("--driver-root=" + driverRoot), folder);
      var sections = sections(programs, home.resolve("etc/simulated"), findings);
      Files.writeString(report, new Report(sections, hostname()).text());
      return finish(sections);
    } finally {
      Folders.delete(folder);
    }
  }

  private List<Section> sections(Programs programs, Path recordings, Optional<Findings> findings)
      throws IOException, InterruptedException {
    var sections = new ArrayList<Section>();
    sections.add(machine());
    sections.add(
        findings.isPresent()
            ? new LibraryStep(recordings).of(findings.get())
            : Section.failed(
                "library",
                "The driver's library",
                "it did not answer all calls within %d s".formatted(LIMIT_OF_LIBRARY.toSeconds())));
    sections.add(new CommandStep(programs, this::say).run());
    say("plugin, behind a stand-in of a kubelet");
    sections.add(new PluginStep(programs).run());
    say("an hour's scrapes in %d s".formatted(scrapeSeconds));
    var scraped = new ScrapeStep(programs, Duration.ofSeconds(scrapeSeconds), this::say).run();
    sections.add(scraped.section());
    say("nvidia-smi -q -x");
    sections.add(new CounterStep(programs, Path.of(driverRoot)).run(scraped.page()));
    return sections;
  }

  private int finish(List<Section> sections) {
    var incomplete = sections.stream().filter(it -> !it.isComplete()).toList();
    incomplete.forEach(it -> say("not complete: %s: %s".formatted(it.title(), it.failure())));
    say("the report is " + report.toAbsolutePath());
    return incomplete.isEmpty() ? 0 : 1;
  }

  /// On a thread that is left behind where a call hangs.
  private Optional<Findings> findings(String library) throws InterruptedException {
    if (!isRecording) {
      say("the driver's library " + library);
    }
    var findings = new CompletableFuture<Answer<Findings>>();
    Thread.ofPlatform()
        .daemon()
        .name("library")
        .start(() -> findings.completeAsync(() -> LibraryProbe.of(library), Runnable::run));
    try {
      return findings.get(LIMIT_OF_LIBRARY.toSeconds(), TimeUnit.SECONDS).toOptional();
    } catch (TimeoutException _) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("looking at " + library, e.getCause());
    }
  }

  private static Section machine() throws IOException {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("processor", System.getProperty("os.arch", ""));
    facts.put("kernel", System.getProperty("os.version", ""));
    facts.put("system", value(Path.of("/etc/os-release"), "PRETTY_NAME="));
    facts.put("driver", value(Path.of("/proc/driver/nvidia/version"), "NVRM version:"));
    facts.put("java", System.getProperty("java.runtime.version", ""));
    var lines = facts.entrySet().stream().map(it -> it.getKey() + ": " + it.getValue()).toList();
    return new Section("machine", "The machine", "", lines, facts);
  }

  /// What follows `key` on its line; empty where the file is not there.
  private static String value(Path file, String key) throws IOException {
    if (!Files.isReadable(file)) {
      return "";
    }
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()).replace("\"", "").strip())
        .findFirst()
        .orElse("");
  }

  private static String hostname() throws IOException {
    var file = Path.of("/proc/sys/kernel/hostname");
    return Files.isReadable(file) ? Files.readString(file).strip() : "";
  }

  private void say(String what) {
    spec.commandLine().getErr().println("real-gpu-check: " + what);
  }
}
