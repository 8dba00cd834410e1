package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"astrolabe/node/wire"
)

// statusError is an HTTP status without a JSON-RPC response.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP status %d %s", e.status, http.StatusText(e.status))
}

// readAnswer reads the response to request id. A node error counts with any
// HTTP status except the two that mean "retry later".
func (p *Pool) readAnswer(response *http.Response, id uint64, q query) (json.RawMessage, error) {
	status := &statusError{response.StatusCode}
	if status.status == http.StatusTooManyRequests || status.status == http.StatusServiceUnavailable {
		return nil, status
	}
	limit := p.options.MaxResponse
	if q.maxSize > 0 {
		limit = min(limit, q.maxSize)
	}
	if q.room != nil {
		q.room.Return() // what an earlier attempt took
	}
	var result json.RawMessage
	text, err := readLimited(response, limit, q.room)
	if err == nil {
		result, err = wire.DecodeAnswer(text, id)
	}
	_, answered := errors.AsType[*RPCError](err)
	if q.room != nil && err != nil && !answered {
		q.room.Return()
	}
	switch {
	case status.status != http.StatusOK && !answered:
		return nil, status
	case errors.Is(err, ErrTooLarge) && q.maxSize == 0: // the limit of the pool, not of the caller
		return nil, wire.Invalid("it is larger than %d bytes", limit)
	}
	return result, err
}

// limitCodes are the error codes that providers use for their rate limits.
var limitCodes = []int{-32005, -32029, http.StatusTooManyRequests}

// asLimit marks an error that means a rate limit: the HTTP status, or the code of
// a JSON-RPC error. Such an error of a write stays an answer, because it says
// that the write was not accepted.
func asLimit(response *http.Response, err error, write bool) error {
	answer, ok := errors.AsType[*RPCError](err)
	if response.StatusCode == http.StatusTooManyRequests || ok && !write && slices.Contains(limitCodes, answer.Code) {
		return fmt.Errorf("%w: %s", ErrRateLimited, err.Error()) // no longer the answer of a node
	}
	return err
}

// readLimited reads a whole body of at most limit bytes. Every piece takes of
// the room, unless that is nil.
func readLimited(response *http.Response, limit int64, room Room) ([]byte, error) {
	if response.ContentLength > limit {
		return nil, ErrTooLarge
	}
	var buffer bytes.Buffer
	if response.ContentLength > 0 && room == nil {
		buffer.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := buffer.ReadFrom(io.LimitReader(taking{response.Body, room}, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	return buffer.Bytes(), err
}

// taking is a reader whose pieces take of the room.
type taking struct {
	io.Reader
	room Room
}

// Read implements io.Reader.
func (t taking) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if t.room != nil && n > 0 && !t.room.Take(n) {
		return n, ErrTooLarge
	}
	return n, err
}

// retryAfter parses both forms of the header, seconds and a date. Zero means no
// value.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}
