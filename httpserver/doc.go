// Package httpserver bounds what one HTTP listener of the program accepts: the
// number of connections, the size of headers, and the time that a client may
// take to send a header or to read an answer. It also says how the
// process collects garbage meanwhile.
package httpserver
