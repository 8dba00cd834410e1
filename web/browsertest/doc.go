// Package browsertest opens a page in a headless Chromium for tests and keeps
// an account of what a visitor should never meet: errors on the console and
// requests that leave the page's origin.
//
// The pages of a process share a browser, and each gets a profile of its own, so
// that tests may run beside each other. A machine without Chromium skips these
// tests; ASTROLABE_REQUIRE_BROWSER=1 turns the skip into a failure, as CI wants it.
//
// Nothing here knows a particular page. Only tests import this package.
package browsertest
