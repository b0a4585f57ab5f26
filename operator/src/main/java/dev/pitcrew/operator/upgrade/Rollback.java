package dev.pitcrew.operator.upgrade;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The driver that a DaemonSet asks for is not to be had any more, and another in its place, as it
/// is noted on the DaemonSet. It holds until another driver is wanted.
///
/// @param rejected digest of the driver that failed
/// @param kept digest of the driver to come back to: that which other nodes still have; empty where
///   none is known
/// @param why what was wrong with the rejected one
public record Rollback(String rejected, String kept, String why) {
  /// Annotation of the DaemonSet.
  public static final String ANNOTATION = "pitcrew.dev/driver-rollback";

  private static final String NONE = "-";

  /// How many nodes have to fail before a driver that works on other nodes is rolled back. One may
  /// have a GPU that broke for another reason, or an agent whose report is not to be trusted.
  private static final int NODES_AGAINST_A_WORKING_DRIVER = 2;

  private static final Pattern TEXT = Pattern.compile("(\\S+) (\\S+) (.*)", Pattern.DOTALL);

  /// One line, for the annotation.
  public String text() {
    return "%s %s %s".formatted(rejected, kept.isEmpty() ? NONE : kept, why);
  }

  /// Reads what is noted on a DaemonSet; empty where nothing is, or nothing that can be read.
  public static Optional<Rollback> of(Map<String, String> annotations) {
    Matcher text = TEXT.matcher(annotations.getOrDefault(ANNOTATION, ""));
    return text.matches()
        ? Optional.of(
            new Rollback(
                text.group(1), text.group(2).equals(NONE) ? "" : text.group(2), text.group(3)))
        : Optional.empty();
  }

  /// Whether this is to be recorded after `last`. A driver that was restored is not rolled back
  /// again: both drivers fail, and alternating would only hide it.
  public boolean follows(Optional<Rollback> last) {
    return last.filter(it -> it.rejected.equals(rejected) || it.kept.equals(rejected)).isEmpty();
  }

  /// The same with another driver to come back to.
  public Rollback keeping(String digest) {
    return new Rollback(rejected, digest, why);
  }

  /// What is to be rolled back, by the name of the DaemonSet, in the order in which that is to be
  /// recorded: a failure is forgotten with the driver that failed, so the others go first.
  ///
  /// @param failures what failed with the driver that is wanted, or is not well with it
  static SequencedMap<String, Rollback> of(
      Map<UpgradeNode, String> failures, List<UpgradeNode> all) {
    var failed = new TreeMap<String, Rollback>();
    Map<UpgradeNode, String> tried =
        failures.entrySet().stream()
            .filter(failure -> isTried(failure.getKey()))
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, LinkedHashMap::new));
    tried.forEach((node, why) ->
        node.driver()
            .filter(driver -> isEnough(driver.daemonSet(), tried.keySet(), all))
            .flatMap(driver -> of(driver, all, why))
            .ifPresent(
                rollback -> failed.putIfAbsent(node.driver().orElseThrow().daemonSet(), rollback)));
    var rollbacks = new LinkedHashMap<String, Rollback>();
    failed.values().stream()
        .findFirst()
        .ifPresent(first ->
            unproven(all)
                .forEach((name, driver) ->
                    of(driver, all, first.why()).ifPresent(it -> rollbacks.put(name, it))));
    failed.forEach(rollbacks::putLast);
    return rollbacks;
  }

  private static boolean isEnough(
      String daemonSet, Set<UpgradeNode> failed, List<UpgradeNode> all) {
    Predicate<UpgradeNode> isOfIt =
        node -> node.driver().filter(it -> it.daemonSet().equals(daemonSet)).isPresent();
    return failed.stream().filter(isOfIt).count() >= NODES_AGAINST_A_WORKING_DRIVER
        || all.stream()
            .filter(isOfIt)
            .noneMatch(node -> Health.isSettled(node) && Health.doubt(node).isEmpty());
  }

  /// Empty where that is recorded already: what lasts after that is no reason to roll back the
  /// drivers that are requested next.
  private static Optional<Rollback> of(DriverPod driver, List<UpgradeNode> all, String why) {
    return Optional.of(new Rollback(driver.target(), kept(driver.daemonSet(), all), why))
        .filter(it -> !it.rejected().isEmpty() && it.follows(driver.rollback()));
  }

  /// The DaemonSets of other systems or kernels whose nodes are still to get their new driver, with
  /// one of their pods: where it has come up on none of them, what failed elsewhere is no canary
  /// that was waited for.
  private static Map<String, DriverPod> unproven(List<UpgradeNode> all) {
    var unproven = new TreeMap<String, DriverPod>();
    all.stream()
        .filter(node -> !Order.isSkipped(node))
        .flatMap(node -> node.driver().stream())
        .filter(driver -> !driver.current() && !driver.terminating())
        .forEach(driver -> unproven.put(driver.daemonSet(), driver));
    all.stream()
        .filter(node -> Health.isSettled(node) && Health.doubt(node).isEmpty())
        .flatMap(node -> node.driver().stream())
        .forEach(driver -> unproven.remove(driver.daemonSet()));
    return unproven;
  }

  /// Whether the driver has got as far as the node: not where no driver pod was made for it.
  private static boolean isTried(UpgradeNode node) {
    return node.marks().failure().filter(it -> it.target().isEmpty()).isEmpty();
  }

  /// The former driver that most nodes still have. Failed nodes do not count, nor do skipped ones:
  /// a driver that a user keeps there is for that node only.
  private static String kept(String daemonSet, List<UpgradeNode> all) {
    Map<String, Long> digests =
        all.stream()
            .filter(node -> node.state() != UpgradeState.FAILED && !Order.isSkipped(node))
            .flatMap(node -> node.driver().stream())
            .filter(driver -> driver.daemonSet().equals(daemonSet) && !driver.current())
            .map(DriverPod::digest)
            .filter(digest -> !digest.isEmpty())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return digests.entrySet().stream()
        .max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey)
        .orElse("");
  }
}
