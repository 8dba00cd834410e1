// Package staticfile serves files that never change while the program runs,
// compressed once instead of for each request.
package staticfile
