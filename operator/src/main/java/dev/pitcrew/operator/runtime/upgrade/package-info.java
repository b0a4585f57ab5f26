/// Carries out driver upgrades: what is watched for them, how it is read into the records of
/// `operator.upgrade`, and how its plans are written.
@NullMarked
package dev.pitcrew.operator.runtime.upgrade;

import org.jspecify.annotations.NullMarked;
