// Package decode reads the values of flags and environment variables, and says in
// plain words what is wrong with one.
package decode
