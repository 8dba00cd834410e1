// Package failpoint names the moments at which a crash must do no harm, so
// that tests can make the real program die there.
//
// A call of Hit costs nothing in a normal build. In a build with the tag
// "failpoints" the process kills itself with SIGKILL at the point that
// ASTROLABE_FAILPOINT names ("migrate.applied", or "migrate.applied:3" for its third
// pass), exactly as a kill -9 or a power cut would, and appends the name of
// every point it passes to the file ASTROLABE_FAILPOINT_LOG, so that a
// campaign can show that none was missed.
package failpoint
