package graph

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access/streams"
	"astrolabe/domain/account"
)

// serveEvents carries an operation as server-sent events, one connection for
// each operation. gqlgen's transport writes the events; the eventWriter below
// bounds how long the client may leave them unread. Errors of the operation
// are events, too: browsers do not hand responses with another status to
// scripts. The stream ends with the client's context: the time limit of the
// request was for its admission.
func (h *Handler) serveEvents(client context.Context, w http.ResponseWriter, r *http.Request, x *exchange, p params) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(client, cancel)()
	e := &eventWriter{w: w, control: http.NewResponseController(w), timeout: h.WriteTimeout, exchange: x, cancel: cancel}
	defer e.close()
	caller := account.CallerOf(ctx)
	goodbye := func() {
		e.closed.Store(true)
		cancel()
	}
	abort := func() {
		goodbye()
		_ = e.control.SetWriteDeadline(time.Now()) // of what the client does not read
	}
	one := &streams.Stream{Holder: streams.HeldBy(caller), Caller: caller, Goodbye: goodbye, Abort: abort}
	var expires expiry
	one.Recheck = func() {
		renewed, err := h.recheck(ctx)
		switch {
		case err != nil:
			x.expired.Store(true)
			cancel()
		case renewed != nil:
			expires.set(renewed.Until, one.Recheck)
		}
	}
	if err := tooMany(h.Streams.Enter(one)); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	defer h.Streams.Leave(one)
	expires.set(caller.Until, one.Recheck)
	defer expires.stop()
	h.server.ServeHTTP(e, p.request(ctx, r, mediaStream))
	if o := x.result(); o.refusal != nil {
		h.refuseWith(w, r, accepted{}, o.refusal, o.errs)
	}
}

// eventWriter writes the frames of gqlgen's event stream, each of which is one
// Write, in bounded time. It adds what gqlgen leaves out: the errors with which
// a stream ends and, for browsers, a line of data in the last event. A stream
// that ends because the server goes is not called complete, so that the client
// comes back.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	cancel  context.CancelFunc // ends the stream when the client is gone
	*exchange

	closed atomic.Bool // every later frame is dropped

	writing sync.Mutex
	begun   bool
}

// The last event as gqlgen writes it and as it is sent.
var (
	completeFrame = []byte("event: complete\n\n")
	completeEvent = []byte("event: complete\ndata: \n\n")
)

// Header returns the headers that gqlgen sets; begin sets those that are sent.
func (e *eventWriter) Header() http.Header { return http.Header{} }

// WriteHeader does nothing: begin sends the status.
func (e *eventWriter) WriteHeader(int) {}

// Write sends one frame.
func (e *eventWriter) Write(frame []byte) (int, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	o, last := e.result(), bytes.Equal(frame, completeFrame)
	switch {
	case e.closed.Load() || o.refusal != nil:
	case !e.begun && frame[0] == ':': // a comment, and the operation may yet be refused
	case last:
		e.complete(o.errs)
	case o.errs != nil: // gqlgen's form of a refusal
	default:
		e.begin()
		e.send(frame)
	}
	return len(frame), nil
}

// Flush does nothing: every frame is flushed.
func (e *eventWriter) Flush() {}

func (e *eventWriter) begin() {
	if e.begun {
		return
	}
	e.begun = true
	header := e.w.Header()
	header.Set("Content-Type", mediaStream+"; charset=utf-8")
	header.Set("Cache-Control", "private, no-store")
	header.Set("X-Accel-Buffering", "no")
	// The deadlines of the stream stay with its connection under HTTP/1.1.
	header.Set("Connection", "close")
	_ = e.control.SetReadDeadline(time.Time{}) // the request is read; the stream may last
	e.w.WriteHeader(http.StatusOK)
}

// complete ends the stream, with errors if there are any.
func (e *eventWriter) complete(errs gqlerror.List) {
	e.begin()
	if errs != nil {
		e.send([]byte("event: next\ndata: " + string(failure(errs)) + "\n\n"))
	}
	e.send(completeEvent)
	e.closed.Store(true)
}

// send writes and flushes. A client that leaves a frame unread for too long is
// disconnected.
func (e *eventWriter) send(frame []byte) {
	if e.closed.Load() {
		return
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout)) // not every server can
	_, err := e.w.Write(frame)
	if err == nil {
		err = e.control.Flush()
	}
	if err != nil {
		e.closed.Store(true)
		e.cancel()
	}
}

// close drops every later frame, once the one that is being written is.
func (e *eventWriter) close() {
	e.closed.Store(true)
	e.writing.Lock()
	defer e.writing.Unlock()
}
