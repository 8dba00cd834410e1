// Package logclient reads a transparency log over HTTP, for audits.
package logclient
