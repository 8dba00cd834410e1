// Package retain holds the workers that delete data whose retention has ended.
// Readers never delete.
package retain
