// Package streams bounds the WebSockets and event streams that are open, of all
// facades together. A shutdown ends them, and so does the end of their
// credential. The facades give each stream what to do then.
package streams
