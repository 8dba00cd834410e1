// Package archive reads and writes source archives: one gzip member that holds
// a sorted POSIX ustar tree of regular files and directories.
//
// Every byte that comes in is treated as hostile. Read checks the container
// while it streams, in bounded memory, and hands a file on only after its
// header, its path and the first block of its content passed every rule. Pack
// writes the one tar stream that Read accepts for a tree. It does not depend on
// the user or the time.
//
// The package knows nothing of Cairo: the rules on the files of a project are in
// the package source.
package archive
