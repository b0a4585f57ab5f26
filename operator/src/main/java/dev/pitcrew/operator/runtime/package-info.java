/// The running operator: watches, queues and the leader lease; reconcilers that gather facts, have
/// them planned elsewhere, and carry the plan out. The only package of this process that talks to
/// the API server.
@NullMarked
package dev.pitcrew.operator.runtime;

import org.jspecify.annotations.NullMarked;
