package frame

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"astrolabe/domain"
)

// Upload returns the length and the content of an uploaded body. The body must
// have the media type of the operation, no Content-Encoding, and a
// Content-Length within its limit. Nothing is read before the caller reads: a
// client that sent Expect: 100-continue is asked for the body only then.
func (c *Call) Upload() (length int64, body io.Reader, err error) {
	if err := c.requireMedia(c.operation.Accepts); err != nil {
		return 0, nil, err
	}
	switch length = c.request.ContentLength; {
	case len(c.request.Header["Content-Length"]) == 0:
		return 0, nil, domain.Errorf(domain.CodeLengthRequired, "The upload must have a Content-Length: the exact number of its bytes.")
	case length > c.operation.MaxBody:
		return 0, nil, c.tooLarge()
	}
	return length, c.request.Body, nil
}

const (
	// uploadTime is how long a client may take to send one piece of an upload.
	uploadTime = 30 * time.Second
	// uploadPiece is the number of bytes that must arrive in uploadTime.
	uploadPiece = 32 << 10
)

// movingBody is a body that may arrive slowly, but not stop: every uploadPiece
// of it must arrive in uploadTime.
type movingBody struct {
	io.ReadCloser
	ctx     context.Context // of the request
	control *http.ResponseController
	missing int // bytes of the current piece that have not arrived
}

// newMovingBody makes the body of a request a moving one, instead of one that
// must arrive in a fixed time.
func newMovingBody(w http.ResponseWriter, r *http.Request) *movingBody {
	return &movingBody{ReadCloser: r.Body, ctx: r.Context(), control: http.NewResponseController(w)}
}

// Read implements io.Reader. A body that stops or ends early is invalid_request,
// unless the request has exceeded its time limit. The server cancels the context
// of such a request, so that no other layer could tell.
func (m *movingBody) Read(p []byte) (int, error) {
	if m.missing <= 0 {
		m.missing = uploadPiece
		m.limit(time.Now().Add(uploadTime))
	}
	n, err := m.ReadCloser.Read(p)
	m.missing -= n
	switch {
	case errors.Is(err, io.EOF):
		m.limit(time.Time{}) // else the server would take the silence that follows for a lost client
	case errors.Is(m.ctx.Err(), context.DeadlineExceeded):
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = domain.Errorf(domain.CodeInvalidRequest, "The upload stopped: less than %d bytes arrived in %s. Nothing was changed. Retry.", uploadPiece, uploadTime)
	case err != nil:
		err = incompleteBody()
	}
	return n, err
}

// limit sets until when reads may wait; zero means no limit but that of the
// request.
func (m *movingBody) limit(until time.Time) {
	if end, limited := m.ctx.Deadline(); limited && !until.IsZero() && end.Before(until) {
		until = end
	}
	_ = m.control.SetReadDeadline(until) // some writers do not support it
}
