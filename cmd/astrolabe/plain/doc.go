// Package plain says in plain words what the errors of the system mean.
package plain
