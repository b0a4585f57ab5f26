package dev.pitcrew.operator.render;

/// One thing that the custom resource says about a DaemonSet, laid over its draft.
@FunctionalInterface
interface Setting {
  void apply(DaemonSetDraft draft, RenderContext context);
}
