package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.config.SleepInterval;
import dev.pitcrew.agent.cuda.CheckedGpu;
import dev.pitcrew.agent.cuda.CudaCheck;
import dev.pitcrew.agent.cuda.CudaTarget;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "cuda-check",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Proves that GPUs compute: each adds two vectors by a kernel that the driver compiles for it.",
      "It claims no GPU: one that others use up is said to be busy, which is as good."
    })
final class CudaCheckCommand implements Callable<Integer> {
  /// Of the flags for labels, those that have a meaning here.
  static final Set<String> FLAGS = Set.of("driver-root", "driver-root-ctr-path", "config-file");

  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin OutputFormat format = new OutputFormat();

  @Option(
      names = "--gpu",
      split = ",",
      paramLabel = "<index|uuid>",
      description = "The GPUs to check, by NVML index or UUID (default: all).")
  List<String> gpus = List.of();

  @Option(
      names = "--timeout",
      paramLabel = "<duration>",
      defaultValue = "30s",
      description =
          "How long each GPU may take, up to 10m; the check is killed then (default:"
              + " ${DEFAULT-VALUE}).")
  String timeout = "30s";

  CudaCheckCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!format.isValid()) {
      return refuse(format.refusal());
    }
    Optional<Duration> deadline = deadline();
    if (deadline.isEmpty()) {
      return refuse("--timeout is '%s': give a duration from 1ms to 10m".formatted(timeout));
    }
    var loader = new ConfigLoader(Program.LABELS, surroundings.environment());
    var config = loader.load(spec.commandLine().getParseResult(), spec.commandLine().getErr());
    return config.isPresent() ? run(config.get(), deadline.get()) : PitcrewCommand.FAILED;
  }

  private int run(AgentConfig config, Duration deadline) throws IOException, InterruptedException {
    var places = node.places(config.roots());
    return switch (surroundings.reader().read(places)) {
      case Reading.Read(var inventory) -> check(inventory, places.driver().now().files(), deadline);
      case Reading.NoDriver(var reason) ->
          refuse("no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml");
    };
  }

  private int check(Inventory inventory, HostRoot driver, Duration deadline)
      throws IOException, InterruptedException {
    List<CudaTarget> all = CudaTarget.of(inventory);
    Optional<String> unknown =
        gpus.stream().filter(gpu -> all.stream().noneMatch(it -> isNamed(it, gpu))).findFirst();
    if (unknown.isPresent()) {
      return refuse("--gpu is '%s': give any of %s".formatted(unknown.get(), CudaText.names(all)));
    }
    List<CudaTarget> wanted = all.stream().filter(this::isWanted).toList();
    Path links = Files.createTempDirectory("pitcrew-cuda");
    try {
      List<CheckedGpu> checked = new CudaCheck(driver, links, deadline).of(wanted);
      Output.write("", text(checked), spec.commandLine().getOut());
      boolean isWell = !checked.isEmpty() && checked.stream().allMatch(CudaCheckCommand::isWell);
      return isWell ? PitcrewCommand.DONE : PitcrewCommand.FAILED;
    } finally {
      remove(links);
    }
  }

  private static boolean isWell(CheckedGpu gpu) {
    return gpu.outcome() instanceof CudaOutcome.Busy
        || gpu.outcome().standing() == CudaOutcome.Standing.WORKS;
  }

  private boolean isWanted(CudaTarget target) {
    return gpus.isEmpty() || gpus.stream().anyMatch(gpu -> isNamed(target, gpu));
  }

  private static boolean isNamed(CudaTarget target, String gpu) {
    return target.uuid().equals(gpu) || target.index().equals(gpu);
  }

  private String text(List<CheckedGpu> checked) {
    return format.isJson() ? Json.of(CudaText.view(checked)) : CudaText.table(checked);
  }

  private Optional<Duration> deadline() {
    return SleepInterval.parse(timeout)
        .flatMap(it ->
            it instanceof SleepInterval.Every(var given) ? Optional.of(given) : Optional.empty())
        .filter(given -> given.isPositive() && given.compareTo(LONGEST) <= 0);
  }

  private static void remove(Path links) throws IOException {
    try (Stream<Path> entries = Files.list(links)) {
      for (Path entry : entries.toList()) {
        Files.delete(entry);
      }
    }
    Files.delete(links);
  }

  private int refuse(String reason) {
    spec.commandLine().getErr().println(reason);
    return PitcrewCommand.FAILED;
  }
}
