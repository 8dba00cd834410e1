// Package terminal keeps a line of progress below the log of a program, if the
// log goes to a terminal.
package terminal
