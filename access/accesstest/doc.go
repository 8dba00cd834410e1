// Package accesstest gives a test a gate over its own database, with a
// workspace and callers of every sort. Only tests import it.
package accesstest
