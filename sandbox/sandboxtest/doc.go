// Package sandboxtest gives tests a sandbox.
//
// It needs bubblewrap, which is not part of the repository. Where it is missing or cannot isolate, tests
// that need it are skipped; ASTROLABE_REQUIRE_SANDBOX=1 turns the skip into a failure. The TestMain of
// such tests calls sandbox.Reexec first.
package sandboxtest
