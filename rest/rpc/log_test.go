package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"astrolabe/access/accesstest"
	"astrolabe/access/streams"
	"astrolabe/domain/gateway"
	"astrolabe/repo/repotest"
	"astrolabe/rest/rpc"
)

// broken is a node whose calls fail in a way that nobody expects.
type broken struct{ flood }

// Forward implements gateway.Node.
func (broken) Forward(context.Context, gateway.Call) (json.RawMessage, error) {
	return nil, errors.New("a defect")
}

func TestErrorLogOfAFailedRequestHasItsRequestID(t *testing.T) {
	t.Parallel()
	s := &service{t: t, log: new(syncBuffer), socks: rpc.NewSockets(streams.New(streams.Limit, streams.Each))}
	db := repotest.Open(t)
	s.access = accesstest.New(t, db, time.Now)
	s.serve(db, broken{})
	a := s.call(chainID)
	if f := a.failure(t); f.Error.Code != gateway.InternalError {
		t.Fatalf("got %s, want an internal error", a.body)
	}
	id := a.Header.Get("X-Request-Id")
	for line := range strings.Lines(s.log.text()) {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "requestId="+id) && strings.Contains(line, "a defect") {
			return
		}
	}
	t.Errorf("got the log\n%s\nwant the error with the request ID %s", s.log.text(), id)
}
