package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.UpgradePolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How many nodes may be worked on, and how many may be out of service, counted once each, whatever
/// the cause. Nodes that failed are not worked on, and count as out of service as long as they are.
///
/// @param parallel most nodes that may be under way
/// @param underWay nodes that are
/// @param unavailable most nodes that may be out of service
/// @param down nodes that are, or will be by what is decided already
/// @param idle those of them that no upgrade works on, and why they are out of service
record Budget(int parallel, int underWay, int unavailable, int down, List<String> idle) {
  /// More names than that would only hide the text.
  private static final int MOST_NAMES = 3;

  private static final int PERCENT = 100;

  /// A number in quotes is one as well.
  private static final Pattern TEXT = Pattern.compile("(\\d{1,6})(%?)");

  /// What is left for nodes to begin. What a plan gives back counts only once it was seen given.
  ///
  /// @param leaving names of nodes that are no longer of the fleet, and out of service by us
  static Budget of(
      UpgradePolicySpec policy,
      List<UpgradeNode> before,
      List<UpgradeNode> after,
      List<String> leaving) {
    long parallel = policy.maxParallelUpgradesOrDefault();
    int down = leaving.size();
    int underWay = 0;
    List<String> idle = new ArrayList<>();
    leaving.forEach(name -> idle.add(name + " (being given back)"));
    for (int i = 0; i < before.size(); i++) {
      UpgradeNode was = before.get(i);
      UpgradeNode is = after.get(i);
      down += isDown(was) || isDown(is) ? 1 : 0;
      boolean isWorkedOn = was.isUnderWay() || is.isUnderWay();
      underWay += isWorkedOn ? 1 : 0;
      if (!isWorkedOn && isDown(was)) {
        idle.add("%s (%s)".formatted(was.name(), why(was)));
      }
    }
    return new Budget(
        parallel <= 0 ? Integer.MAX_VALUE : (int) Math.min(parallel, Integer.MAX_VALUE),
        underWay,
        most(policy.maxUnavailableOrDefault(), before.size()),
        down,
        idle.stream().sorted().toList());
  }

  /// Why this node has to wait, if it has.
  Optional<Hold> hold(UpgradeNode node) {
    if (underWay >= parallel) {
      return Optional.of(
          Hold.of(
              underWay + " of at most " + parallel + " nodes are under way",
              "it begins when one of them is done (upgradePolicy.maxParallelUpgrades); pitcrew rollout status says which"));
    }
    return !isDown(node) && down >= unavailable
        ? Optional.of(
            Hold.of(
                down + " of at most " + unavailable + " nodes are out of service" + names(),
                "it begins when one of them is back (upgradePolicy.maxUnavailable)"))
        : Optional.empty();
  }

  /// How many nodes that are in service may still begin.
  int available() {
    return Math.max(0, Math.min(parallel - underWay, unavailable - down));
  }

  /// What is left once this node has begun.
  Budget without(UpgradeNode node) {
    return new Budget(parallel, underWay + 1, unavailable, down + (isDown(node) ? 0 : 1), idle);
  }

  /// The nodes that block the others for long. Those under way change all the time, and each change
  /// of the text would have to be reported for all nodes that wait.
  private String names() {
    String names = String.join(", ", idle.subList(0, Math.min(idle.size(), MOST_NAMES)));
    int more = idle.size() - MOST_NAMES;
    return names.isEmpty() ? "" : ": " + names + (more > 0 ? " and " + more + " more" : "");
  }

  private static String why(UpgradeNode node) {
    if (!node.ready()) {
      return "not ready";
    }
    return node.state() == UpgradeState.FAILED ? "failed" : "cordoned";
  }

  private static boolean isDown(UpgradeNode node) {
    return node.isUnavailable() || node.state().isCordoned();
  }

  /// Why `maxUnavailable` cannot be read. No node begins before that is fixed.
  static Optional<String> problem(UpgradePolicySpec policy) {
    return policy.maxUnavailableOrDefault() instanceof IntOrString.Text(String text)
            && !TEXT.matcher(text).matches()
        ? Optional.of(
            "upgradePolicy.maxUnavailable is \"%s\": give a number of nodes, such as 2, or a share of them, such as \"25%%\""
                .formatted(text))
        : Optional.empty();
  }

  /// A share is rounded up, as in the NVIDIA GPU Operator. One that cannot be read, which
  /// [#problem] reports, allows nothing.
  static int most(IntOrString value, int total) {
    return switch (value) {
      case IntOrString.Whole(long number) -> Math.clamp(number, 0, Integer.MAX_VALUE);
      case IntOrString.Text(String text) -> share(text, total);
    };
  }

  private static int share(String text, int total) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return 0;
    }
    long number = Long.parseLong(parts.group(1));
    return (int) (parts.group(2).isEmpty() ? number : Math.ceilDiv(number * total, PERCENT));
  }
}
