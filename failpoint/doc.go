// Package failpoint defines the points at which a crash must do no harm, so
// that tests can kill the real program there.
//
// A call of Hit costs nothing in a normal build. In a build with the tag
// "failpoints", the process kills itself with SIGKILL at the point in
// ASTROLABE_FAILPOINT ("migrate.applied", or "migrate.applied:3" for its third
// pass), as a kill -9 or a power failure would. It also appends the name of
// every point it passes to the file ASTROLABE_FAILPOINT_LOG, so that a test can
// check that none was missed.
package failpoint
