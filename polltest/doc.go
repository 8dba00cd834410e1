// Package polltest waits in tests for what gives no signal: a counter, the
// processes of the host, what a server or an index has reached. Where there is a
// channel, a pipe or a lock to wait for, tests wait for that instead. Only tests
// import it.
package polltest
