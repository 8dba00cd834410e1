package rpc

import (
	"errors"
	"io"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
	"astrolabe/domain/share"
)

const (
	// maxBodies is how many bytes of bodies are in memory until they are
	// answered. Parsing and forwarding a body takes several times its size.
	maxBodies = 32 << 20
	// maxCallerBodies is the share of a workspace, which the largest body fits
	// into.
	maxCallerBodies = maxBodies / 2
	// freeBody is not counted, so that small requests are answered while large
	// ones wait for the node.
	freeBody = 64 << 10
	bodyStep = 256 << 10 // by which a larger body is counted as it arrives
	// retryBody is when a client whose body was refused may send it again.
	retryBody = 2 * time.Second
)

// Bodies bounds what the bodies and the messages of WebSockets take together
// that are being read and answered, and what the answers over HTTP take that
// are being sent.
type Bodies struct{ bytes, answers *share.Bytes }

// NewBodies returns the bounds of a process.
func NewBodies() *Bodies {
	return &Bodies{share.New(maxBodies, maxCallerBodies), share.New(maxAnswers, maxCallerAnswers)}
}

// tooManyBodies is the message where there is no room for a body.
const tooManyBodies = "Too many large requests are being answered. Retry, or send smaller ones."

// errSaturated means that there is no room for a body.
var errSaturated = errors.New("too many large bodies are in flight")

// read reads a body of a caller. It counts until release is called, which
// follows every call without an error.
func (b *Bodies) read(r io.Reader, caller *account.Caller) (text []byte, release func(), err error) {
	c := &countedBody{Reader: r, bytes: b.bytes, holder: holderOf(caller)}
	if text, err = io.ReadAll(c); err != nil {
		c.release()
		return nil, nil, err
	}
	return text, c.release, nil
}

// countedBody takes bytes for what is read.
type countedBody struct {
	io.Reader
	bytes       *share.Bytes
	holder      string
	read, taken int64
}

// Read implements io.Reader.
func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	for c.read += int64(n); c.read > freeBody+c.taken; c.taken += bodyStep {
		if !c.bytes.Try(c.holder, bodyStep) {
			return n, errSaturated
		}
	}
	return n, err
}

func (c *countedBody) release() { c.bytes.Change(c.holder, -c.taken) }

// holderOf is who the bodies of a caller count for: all keys of a workspace
// together.
func holderOf(c *account.Caller) string {
	if c.Workspace != "" {
		return c.Workspace
	}
	return c.Subject
}

// saturated is the answer where there is no room for a body or an answer.
func saturated(message string) *gateway.Error {
	return &gateway.Error{Code: gateway.Unavailable, Reason: gateway.ReasonSaturated, Status: http.StatusServiceUnavailable,
		RetryAfter: retryBody, Message: message}
}
