package dev.pitcrew.agent.validation;

import static dev.pitcrew.agent.validation.Component.CDI;
import static dev.pitcrew.agent.validation.Component.CUDA;
import static dev.pitcrew.agent.validation.Component.DRIVER;
import static dev.pitcrew.agent.validation.Component.TOOLKIT;

import dev.pitcrew.agent.cuda.CudaVerdict;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The table of checks. No GPU is claimed: a driver that answers, a specification whose files are
/// there and a kubelet that confirms its devices are the proof, and a busy GPU is no fault.
final class Checks {
  private static final String AFTER_DRIVER = "waits for driver";

  /// The reason of a check that has passed although not all of it is known.
  private static final String NOT_CHECKED = "NotChecked";

  private final ValidationFacts facts;
  private final List<Blocker> blockers;
  private final boolean driverWorks;

  private Checks(ValidationFacts facts, List<Blocker> blockers) {
    this.facts = facts;
    this.blockers = blockers;
    this.driverWorks = driver().isPassed();
  }

  static List<Check> of(ValidationFacts facts, List<Blocker> blockers) {
    var checks = new Checks(facts, blockers);
    return Stream.of(
            Stream.of(checks.driver()),
            DriverParts.of(facts).stream(),
            Stream.of(checks.toolkit(), checks.cdi(), checks.cuda(), checks.plugin()))
        .flatMap(part -> part)
        .toList();
  }

  private Check driver() {
    DriverFacts driver = facts.driver();
    if (driver.snapshot().isEmpty()) {
      return Check.unknown(DRIVER, "not looked at yet");
    }
    if (driver.pausedBy().isPresent()) {
      return Check.failed(
          DRIVER, "Paused", "another program has exclusive use of it: " + driver.pausedBy().get());
    }
    if (!blockers.isEmpty()) {
      return Check.failed(DRIVER, blockers.getFirst().reason(), Blocker.message(blockers));
    }
    return driver.silence().map(Checks::silent).orElseGet(this::loaded);
  }

  private static Check silent(String reason) {
    return Check.failed(
        DRIVER,
        "DriverNotReady",
        "NVML cannot be used (%s): run nvidia-smi and dmesg on the node".formatted(reason));
  }

  private Check loaded() {
    DriverFacts driver = facts.driver();
    return driver
        .files()
        .flags()
        .problem()
        .map(status ->
            Check.failed(
                DRIVER,
                "DriverStarting",
                "/run/nvidia/validations/.driver-daemons-status says '%s', not Ready: the driver container is still starting its daemons; see its log if that lasts"
                    .formatted(status)))
        .orElseGet(() ->
            Check.passed(
                DRIVER,
                "driver %s below %s answers for %d GPU%s"
                    .formatted(
                        driver.answering().orElseThrow().gpus().inventory().driver().driver(),
                        driver.files().rootOnHost(),
                        driver.listed().size(),
                        driver.listed().size() == 1 ? "" : "s")));
  }

  private Check toolkit() {
    String handler = facts.wanted().handler();
    if (!facts.handlers().isEmpty()) {
      String where = "handler %s is in %s".formatted(handler, facts.handlers().getFirst());
      return driverWorks ? Check.passed(TOOLKIT, where) : afterDriver(TOOLKIT);
    }
    return facts.wanted().toolkit()
        ? Check.failed(
            TOOLKIT,
            "NoRuntimeHandler",
            "the container runtime has no handler %s, so pods with that runtime class do not start: %s; see that the operand container-toolkit or the agent's function runtime is on, or add the handler and restart the runtime"
                .formatted(handler, RuntimeHandlers.PLACES_TEXT))
        : Check.off(TOOLKIT, "spec.toolkit.enabled or the label of container-toolkit keeps it off");
  }

  private Check cdi() {
    List<ValidationFacts.SpecificationFile> files = facts.cdi().files();
    if (!driverWorks) {
      return facts.cdi().isNeeded() || !files.isEmpty()
          ? afterDriver(CDI)
          : Check.off(CDI, "no pod gets GPUs by CDI");
    }
    Optional<Check> broken = files.stream().flatMap(it -> broken(it).stream()).findFirst();
    if (broken.isPresent()) {
      return broken.get();
    }
    if (files.isEmpty()) {
      return facts.cdi().isNeeded()
          ? Check.failed(
              CDI,
              "CdiSpecificationMissing",
              "pods get GPUs by CDI and no specification of nvidia.com is there: look at the agent's log, and at room below /var/run/cdi")
          : Check.off(CDI, "no pod gets GPUs by CDI");
    }
    return Check.passed(
        CDI,
        "all that %s names is there"
            .formatted(
                files.stream()
                    .map(ValidationFacts.SpecificationFile::path)
                    .collect(Collectors.joining(", "))));
  }

  private static Optional<Check> broken(ValidationFacts.SpecificationFile file) {
    Optional<String> problem =
        file.problem()
            .or(() ->
                file.missing().stream()
                    .findFirst()
                    .map(path ->
                        "it names %s, which is not there%s"
                            .formatted(
                                path,
                                file.missing().size() == 1
                                    ? ""
                                    : ", nor %d others".formatted(file.missing().size() - 1))));
    return problem.map(why ->
        Check.failed(
            CDI,
            "CdiSpecificationBroken",
            "%s: %s, so containers with these devices do not start: restore the file, or delete the specification, which is then created again"
                .formatted(file.path(), why)));
  }

  private Check cuda() {
    if (!driverWorks) {
      return afterDriver(CUDA);
    }
    if (!facts.driver().files().hasCuda()) {
      return Check.failed(
          CUDA,
          "CudaLibraryMissing",
          "there is no libcuda.so below %s: install the driver with its compute libraries"
              .formatted(facts.driver().files().rootOnHost()));
    }
    return facts.cuda().isWanted()
        ? facts
            .cuda()
            .verdict()
            .map(Checks::computed)
            .orElseGet(() -> Check.unknown(CUDA, "the GPUs were not looked at yet"))
        : Check.passed(CUDA, "libcuda is there and nothing keeps a program from starting");
  }

  /// A GPU of which nothing is known makes no node unready, and is named.
  private static Check computed(CudaVerdict verdict) {
    if (verdict.hasFailed()) {
      return Check.failed(CUDA, "CudaCheckFailed", verdict.message());
    }
    if (verdict.waiting() > 0) {
      return Check.waiting(
          CUDA, "waits for the kernel on %d more GPUs".formatted(verdict.waiting()));
    }
    return verdict.isProved() || verdict.gpus().isEmpty()
        ? Check.passed(CUDA, verdict.message())
        : Check.passed(CUDA, NOT_CHECKED, verdict.message());
  }

  private Check plugin() {
    return driverWorks || !facts.wanted().plugin()
        ? PluginCheck.of(facts.wanted(), facts.plugin())
        : afterDriver(Component.PLUGIN);
  }

  private static Check afterDriver(Component component) {
    return Check.waiting(component, AFTER_DRIVER);
  }
}
