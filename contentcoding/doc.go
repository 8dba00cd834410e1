// Package contentcoding reads what a client says about compression. It is a
// leaf: the REST facade and the embedded pages must not read it differently.
package contentcoding
