package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"astrolabe/node/wire"
)

// statusError is an HTTP status that is no JSON-RPC answer.
type statusError struct {
	status     int
	retryAfter time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP status %d %s", e.status, http.StatusText(e.status))
}

// readAnswer reads the response to request id. A node error counts whatever
// the HTTP status is, but for the two that say "not now".
func (p *Pool) readAnswer(response *http.Response, id uint64, q query) (json.RawMessage, error) {
	status := &statusError{response.StatusCode, retryAfter(response.Header.Get("Retry-After"), p.options.clock.Now())}
	if status.status == http.StatusTooManyRequests || status.status == http.StatusServiceUnavailable {
		return nil, status
	}
	limit := p.options.MaxResponse
	if q.maxSize > 0 {
		limit = min(limit, q.maxSize)
	}
	var result json.RawMessage
	text, err := readLimited(response, limit)
	if err == nil {
		result, err = wire.DecodeAnswer(text, id)
	}
	_, answered := errors.AsType[*RPCError](err)
	switch {
	case status.status != http.StatusOK && !answered:
		return nil, status
	case errors.Is(err, ErrTooLarge) && q.maxSize == 0: // then it is not the caller who wants less
		return nil, wire.Invalid("it is larger than %d bytes", limit)
	}
	return result, err
}

// readLimited reads a whole body of at most limit bytes.
func readLimited(response *http.Response, limit int64) ([]byte, error) {
	if response.ContentLength > limit {
		return nil, ErrTooLarge
	}
	var buffer bytes.Buffer
	if response.ContentLength > 0 {
		buffer.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := buffer.ReadFrom(io.LimitReader(response.Body, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	return buffer.Bytes(), err
}

// retryAfter reads the header's two forms, seconds and a date. Zero means
// that it says nothing.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}
