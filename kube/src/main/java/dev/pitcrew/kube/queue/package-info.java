/// When to reconcile what: keys that are due, keys that wait, keys that failed.
///
/// A key is never handled twice at once and never waits twice; what handling a key means is the
/// caller's business.
@NullMarked
package dev.pitcrew.kube.queue;

import org.jspecify.annotations.NullMarked;
