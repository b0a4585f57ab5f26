/// The web console on loopback: a model that watches the cluster, views of it as JSON, and the
/// files of the page. Views are those of `plan`; nothing is decided here.
@NullMarked
package dev.pitcrew.cli.console;

import org.jspecify.annotations.NullMarked;
