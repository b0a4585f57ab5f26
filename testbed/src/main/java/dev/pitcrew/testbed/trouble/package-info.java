/// What API servers do to their clients on a bad day, brought about on purpose and with the API
/// server's own means. It reverts all its changes when it is closed.
@NullMarked
package dev.pitcrew.testbed.trouble;

import org.jspecify.annotations.NullMarked;
