// Package child runs a command of the program as a process of its own, so that
// what it must not see (keys, other roles of the database) is in another process.
//
// A child has only the environment that it is given. It is restarted when it
// dies, and never outlives the program: not after a stop, and not after a
// kill -9 of the program.
package child
