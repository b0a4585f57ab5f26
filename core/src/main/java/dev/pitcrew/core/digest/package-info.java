/// Digests that other programs also compute, so their bytes are a contract.
@NullMarked
package dev.pitcrew.core.digest;

import org.jspecify.annotations.NullMarked;
