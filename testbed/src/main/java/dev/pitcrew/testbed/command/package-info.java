/// The command `testbed`: starts, lists and stops test beds from a shell.
///
/// Owns the folder `testbeds` in the cache folder, with one work directory for each test bed that
/// runs. Never signals a process whose identity it cannot prove, and never edits a kubeconfig.
@NullMarked
package dev.pitcrew.testbed.command;

import org.jspecify.annotations.NullMarked;
