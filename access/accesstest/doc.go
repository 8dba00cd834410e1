// Package accesstest provides tests with a gate over their own database, a
// workspace and API keys of every permission. Only tests import it.
package accesstest
