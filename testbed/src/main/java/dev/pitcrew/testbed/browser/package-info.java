/// A real Chromium for tests of pages: found or installed, and driven by the WebDriver protocol of
/// the W3C. A client library of that would bring more than a dozen jars for the few calls here.
@NullMarked
package dev.pitcrew.testbed.browser;

import org.jspecify.annotations.NullMarked;
