package delivery

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// Protocol is how a client subscribes to the blocks of a chain.
type Protocol interface {
	// Subscribe opens a socket with an API key. It returns when the
	// subscription has begun.
	Subscribe(ctx context.Context, key string) (*Socket, error)
	// Next returns the number of the next block.
	Next(ctx context.Context, s *Socket) (uint64, error)
}

// Socket is the WebSocket of one subscriber.
type Socket struct{ conn *websocket.Conn }

// Dial opens a WebSocket at an http URL with an API key.
func Dial(ctx context.Context, url, key string, subprotocols ...string) (*Socket, error) {
	//nolint:bodyclose // the library closes it
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http"), &websocket.DialOptions{
		Subprotocols: subprotocols, HTTPHeader: http.Header{"X-Service-Api-Key": {key}},
	})
	if err != nil {
		return nil, err
	}
	return &Socket{conn}, nil
}

// Send sends a message.
func (s *Socket) Send(ctx context.Context, message string) error {
	return s.conn.Write(ctx, websocket.MessageText, []byte(message))
}

// Receive decodes the next message.
func (s *Socket) Receive(ctx context.Context, message any) error {
	_, text, err := s.conn.Read(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, message)
}

// Close closes the connection.
func (s *Socket) Close() { _ = s.conn.CloseNow() }
