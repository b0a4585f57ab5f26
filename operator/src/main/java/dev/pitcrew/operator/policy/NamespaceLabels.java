package dev.pitcrew.operator.policy;

import dev.pitcrew.operator.render.RenderContext;
import java.util.Map;
import java.util.TreeMap;

/// Labels that the operator's own namespace needs. They are added and never removed, as another
/// program may need them too.
public final class NamespaceLabels {
  private static final String OPENSHIFT_NAMESPACE = "nvidia-gpu-operator";
  private static final String MONITORING = "openshift.io/cluster-monitoring";

  private NamespaceLabels() {}

  /// The labels to add.
  ///
  /// @param present labels of the namespace today
  public static Map<String, String> missing(RenderContext context, Map<String, String> present) {
    var wanted = new TreeMap<String, String>();
    boolean suggested = context.namespace().equals(OPENSHIFT_NAMESPACE);
    boolean openShift = context.facts().isOpenShift();
    if (context.spec().psa().isEnabled() && (!openShift || suggested)) {
      for (String mode : new String[] {"enforce", "audit", "warn"}) {
        wanted.put("pod-security.kubernetes.io/" + mode, "privileged");
      }
    }
    if (openShift && suggested && !present.containsKey(MONITORING)) {
      wanted.put(MONITORING, "true");
    }
    wanted.entrySet().removeIf(label -> label.getValue().equals(present.get(label.getKey())));
    return wanted;
  }
}
