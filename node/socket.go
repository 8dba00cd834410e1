package node

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"astrolabe/node/wire"
)

// maxEarly is the maximum number of notifications that may arrive before the
// response with their subscription id.
const maxEarly = 16

// socket is one WebSocket connection with one subscription on it.
type socket struct {
	conn         *websocket.Conn
	lastID       uint64
	subscription string
	early        []wire.Answer // notifications that came before the subscription was known
}

// dial connects to an endpoint.
func (p *Pool) dial(ctx context.Context, e endpoint) (*socket, error) {
	//nolint:bodyclose // the library closes the body of a failed handshake
	conn, _, err := websocket.Dial(ctx, e.url, &websocket.DialOptions{HTTPClient: p.client})
	if err != nil {
		if _, ok := errors.AsType[*url.Error](err); ok {
			err = withoutURL(ctx, err)
		}
		return nil, err
	}
	conn.SetReadLimit(p.options.MaxResponse)
	return &socket{conn: conn}, nil
}

// subscribe checks the identity of the node on this connection and creates the
// subscription.
func (s *socket) subscribe(ctx context.Context, p *Pool, method string, params json.RawMessage) error {
	_, err := identify(p.options.Chain, func(method string) (json.RawMessage, error) { return s.ask(ctx, method, nil) })
	if err != nil {
		return err
	}
	result, err := s.ask(ctx, method, params)
	if err != nil {
		return err
	}
	if s.subscription, err = wire.DecodeString(result); err != nil {
		return wire.Invalid("subscription id: %w", err)
	}
	return nil
}

// ask sends a request and waits for the response.
func (s *socket) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s.lastID++
	if err := s.conn.Write(ctx, websocket.MessageText, wire.EncodeRequest(s.lastID, method, params)); err != nil {
		return nil, err
	}
	for {
		message, err := s.read(ctx)
		if err != nil {
			return nil, err
		}
		if !message.IsNotification() {
			return message.Result(s.lastID)
		}
		if len(s.early) == maxEarly {
			return nil, wire.Invalid("notifications instead of an answer")
		}
		s.early = append(s.early, message)
	}
}

func (s *socket) read(ctx context.Context) (wire.Answer, error) {
	_, text, err := s.conn.Read(ctx)
	if err != nil {
		return wire.Answer{}, err
	}
	return wire.SplitAnswer(text)
}

// next returns the next notification of the subscription.
func (s *socket) next(ctx context.Context) (Notification, error) {
	var message wire.Answer
	if len(s.early) > 0 {
		message, s.early = s.early[0], s.early[1:]
	} else {
		var err error
		if message, err = s.read(ctx); err != nil {
			return Notification{}, err
		}
	}
	method, result, err := message.Notification(s.subscription)
	return Notification{Method: method, Result: result}, err
}

// keepAlive pings until ctx ends, and closes a connection that does not
// respond, so that a reader does not wait for a dead peer.
func (s *socket) keepAlive(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		ping, cancel := context.WithTimeout(ctx, every)
		err := s.conn.Ping(ping)
		cancel()
		if err != nil {
			s.close()
			return
		}
	}
}

func (s *socket) close() { _ = s.conn.CloseNow() }
