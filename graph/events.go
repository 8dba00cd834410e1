package graph

import (
	"context"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// serveEvents carries an operation as server-sent events, one connection for
// each operation. What is wrong with the operation is told in an event, too:
// browsers show their scripts nothing of an answer with another status.
func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request, op *operation, refusal error) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	one := &stream{holder: holderOf(account.CallerOf(ctx)), goodbye: cancel, abort: cancel}
	if err := h.streams.enter(one); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	defer h.streams.leave(one)
	if r.ProtoMajor == 1 {
		// The deadlines of the stream stay with its connection.
		w.Header().Set("Connection", "close")
	}
	e := events{control: http.NewResponseController(w), w: w, timeout: h.WriteTimeout}
	if e.begin() != nil {
		return
	}
	if refusal != nil {
		e.end(ctx, h.presentAll(ctx, refusal))
		return
	}
	results := make(chan []byte)
	ended := make(chan gqlerror.List, 1)
	go func() {
		ended <- h.run(ctx, op, func(result []byte) error {
			select {
			case results <- result:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	h.pass(ctx, cancel, &e, results, ended)
}

// pass writes what an operation yields until it ends. It returns when the
// operation has: nothing of it outlives the request.
func (h *Handler) pass(ctx context.Context, cancel context.CancelFunc, e *events, results <-chan []byte, ended <-chan gqlerror.List) {
	alive := time.NewTicker(h.KeepAlive)
	defer alive.Stop()
	expired, stop := expiry(ctx)
	defer stop()
	for {
		var err error
		select {
		case result := <-results:
			err = e.next(result)
		case <-alive.C:
			err = e.write(":\n\n")
		case errs := <-ended:
			// A client that left and a server that goes are not told that
			// the operation is complete: the client may come back.
			if ctx.Err() == nil {
				e.end(ctx, errs)
			}
			return
		case <-expired:
			cancel()
			<-ended
			e.end(ctx, h.presentAll(ctx, domain.Errorf(domain.CodeUnauthorized, "what opened the stream has expired")))
			return
		}
		if err != nil {
			cancel()
			<-ended
			return
		}
	}
}

// events writes server-sent events.
type events struct {
	control *http.ResponseController
	w       http.ResponseWriter
	timeout time.Duration
}

func (e *events) begin() error {
	header := e.w.Header()
	header.Set("Content-Type", mediaStream+"; charset=utf-8")
	header.Set("Cache-Control", "private, no-store")
	header.Set("X-Accel-Buffering", "no")
	_ = e.control.SetReadDeadline(time.Time{}) // the request is read; the stream may last
	e.w.WriteHeader(http.StatusOK)
	return e.write(":\n\n") // a comment: what is empty is not sent before the first event
}

func (e *events) next(result []byte) error {
	return e.write("event: next\ndata: " + string(result) + "\n\n")
}

// end tells the errors, if there are any, and that the operation is complete.
func (e *events) end(ctx context.Context, errs gqlerror.List) {
	note(ctx, errs)
	if errs != nil && e.next(failure(errs)) != nil {
		return
	}
	_ = e.write("event: complete\ndata: \n\n") // the client may have gone
}

// write sends one event. A client that leaves it unread for too long is cut
// off.
func (e *events) write(event string) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout)) // not every server can
	if _, err := e.w.Write([]byte(event)); err != nil {
		return err
	}
	return e.control.Flush()
}
