/// Label selectors as people write them in one line.
@NullMarked
package dev.pitcrew.kube.selector;

import org.jspecify.annotations.NullMarked;
