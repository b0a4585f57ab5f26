package dev.pitcrew.testbed.scenario.facts;

/// What a recording depends on beside the objects themselves.
///
/// @param namespace the operator's namespace, written as `<ns>` in facts
/// @param digests the numbers given to configuration digests so far
/// @param keepUpgradeDone whether the node label that says "driver upgrade done" is a fact: an
///   operator may write it on idle nodes at any time, so it counts only where a step waits for it
public record Recording(String namespace, Digests digests, boolean keepUpgradeDone) {

  /// A first recording in `namespace`.
  public static Recording in(String namespace) {
    return new Recording(namespace, new Digests(), false);
  }

  /// The same with digests of its own: for facts that are looked at and thrown away.
  public Recording draft() {
    return new Recording(namespace, digests.copy(), keepUpgradeDone);
  }

  String ownNamespace(String name) {
    return name.equals(namespace) ? "<ns>" : name;
  }
}
