// Package cairotest gives tests a Cairo compiler.
//
// The compiler is not part of the repository: scripts/cairo fetches it. Where it is missing,
// tests that need it are skipped; ASTROLABE_REQUIRE_CAIRO=1 turns the skip into a failure.
package cairotest
