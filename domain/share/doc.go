// Package share divides a number of bytes among those who hold them, so that
// what is in memory at once stays bounded and no single holder takes all of it.
package share
