// Package listing prints the lists of commands: as a table with a header for
// people, or as JSON for programs.
package listing
