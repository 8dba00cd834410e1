// Package process identifies a process, also to others and after its end.
package process
