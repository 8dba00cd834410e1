package gateway

import (
	"context"

	"astrolabe/domain/account"
)

const (
	// maxUnread is how many bytes of answers all sessions together may have read
	// from the node that their clients have not received. A workspace has half.
	maxUnread = 128 << 20
	// expectedAnswer is taken for an answer before it is read from the node. Few
	// are larger, and none is larger than MaxAnswer.
	expectedAnswer = 4 << 20
)

// hold waits until there is room for the answers to requests, and takes it. No
// answer is read from the node before its client has received enough of the
// earlier ones. The error is the answer to the requests.
func (s *Session) hold(ctx context.Context, requests ...Request) (int64, *Error) {
	n := int64(0)
	for _, r := range requests {
		if m, known := Lookup(r.Method); known && r.Invalid == nil && r.ID != nil && !m.Subscribes() && m.Class != account.RPCReadLight {
			n += min(m.MaxAnswer(), expectedAnswer)
		}
	}
	if n = min(n, MaxAnswer); n == 0 { // the answers are short
		return 0, nil
	}
	if err := s.gateway.unread.Wait(ctx, s.holder, n); err != nil {
		return 0, unavailable(ReasonSaturated, retryLater, err, "Too many responses are waiting to be read by clients of this workspace. Read them, then retry.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.gateway.unread.Change(s.holder, -n)
		return 0, unavailable(ReasonSaturated, retryLater, errSessionClosed, "The session is closed.")
	}
	s.held += n
	return n, nil
}

// change adds to what the session holds, unless it is closed: then it holds
// nothing.
func (s *Session) change(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != 0 && !s.closed {
		s.held += n
		s.gateway.unread.Change(s.holder, n)
	}
}

// free returns what an answer held that the client has received.
func (s *Session) free(n int64) { s.change(-n) }

// freeAll returns everything at the end of the session.
func (s *Session) freeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.unread.Change(s.holder, -s.held)
	s.held, s.closed = 0, true
}

// send queues an answer that holds so many bytes, and holds what it really
// takes from then on.
func (s *Session) send(ctx context.Context, answer []byte, held int64) error {
	if held > 0 {
		s.change(int64(len(answer)) - held)
		held = int64(len(answer))
	}
	err := s.outbox.Put(ctx, Message{Answer: answer, unread: held}, len(answer))
	if err != nil {
		s.free(held)
	}
	return err
}

// AnswerBatch answers a batch and queues the answers as encode returns them,
// nothing if that is nil. The error is the answer to the whole batch, which is
// not queued.
func (s *Session) AnswerBatch(ctx context.Context, requests []Request, encode func([]Answer) []byte) *Error {
	held, refused := s.hold(ctx, requests...)
	if refused != nil {
		return refused
	}
	answers, refused := s.gateway.AnswerBatch(ctx, requests)
	if refused != nil {
		s.free(held)
		return refused
	}
	if text := encode(answers); text != nil {
		_ = s.send(ctx, text, held) // fails when the session has ended
	} else {
		s.free(held)
	}
	return nil
}

// holderOf is who the unread answers of a caller count for: all keys of a
// workspace together.
func holderOf(c *account.Caller) string {
	switch {
	case c == nil:
		return ""
	case c.Workspace != "":
		return c.Workspace
	}
	return c.Subject
}
