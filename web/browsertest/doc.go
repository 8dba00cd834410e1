// Package browsertest opens a page in a headless Chromium for tests and records
// what must never happen: errors on the console and requests that leave the
// page's origin.
//
// The pages of a process share a browser, and each has its own profile, so
// tests can run in parallel. Without Chromium these tests are skipped;
// ASTROLABE_REQUIRE_BROWSER=1 makes them fail instead, as in CI.
//
// Nothing here knows a particular page. Only tests import this package.
package browsertest
