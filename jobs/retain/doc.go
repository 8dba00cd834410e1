// Package retain holds the workers that forget what need not be kept: data
// whose retention has ended is deleted on a schedule, never by a reader.
package retain
