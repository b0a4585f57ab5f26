/// The sub-commands `rollout plan` and `rollout status`: what they print, and when they end. They
/// read the cluster by [dev.pitcrew.operator.runtime.upgrade.LiveFleet] and think by
/// [dev.pitcrew.operator.upgrade.UpgradePlan]; nothing here writes.
@NullMarked
package dev.pitcrew.operator.runtime.rollout;

import org.jspecify.annotations.NullMarked;
