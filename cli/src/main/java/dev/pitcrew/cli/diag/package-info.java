/// The support bundle: what is collected, how secrets are replaced, and the page that opens it.
///
/// Everything that is written goes through [Redactor]; there is no other way into the archive.
@NullMarked
package dev.pitcrew.cli.diag;

import org.jspecify.annotations.NullMarked;
