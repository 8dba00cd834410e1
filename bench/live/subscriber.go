package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// subscriber follows the blocks of SN_MAIN on its own WebSocket.
type subscriber struct{ conn *websocket.Conn }

const query = `subscription { newBlocks(chain: SN_MAIN) { cursor block { blockNumber blockHash timestampIso txCount eventCount } reorg { fromBlock } } }`

// subscribe opens a WebSocket and waits for the first message, which contains
// the start of the stream.
func subscribe(ctx context.Context, base, key string) (*subscriber, error) {
	//nolint:bodyclose // the library closes it
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"X-Service-Api-Key": {key}},
	})
	if err != nil {
		return nil, err
	}
	s := &subscriber{conn}
	text, err := json.Marshal(query)
	if err == nil {
		err = s.send(ctx, `{"type":"connection_init"}`)
	}
	if err == nil {
		_, err = s.read(ctx)
	}
	if err == nil {
		err = s.send(ctx, fmt.Sprintf(`{"id":"1","type":"subscribe","payload":{"query":%s}}`, text))
	}
	if err == nil {
		_, err = s.read(ctx)
	}
	return s, err
}

func (s *subscriber) send(ctx context.Context, message string) error {
	return s.conn.Write(ctx, websocket.MessageText, []byte(message))
}

// message is a message of the server.
type message struct {
	Type    string
	Payload json.RawMessage
}

func (s *subscriber) read(ctx context.Context) (m message, err error) {
	_, text, err := s.conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Type != "connection_ack" && m.Type != "next" {
		err = fmt.Errorf("the server sent %s", text)
	}
	return m, err
}

// next returns the number of the next block.
func (s *subscriber) next(ctx context.Context) (uint64, error) {
	for {
		m, err := s.read(ctx)
		if err != nil {
			return 0, err
		}
		var data struct {
			Data struct {
				NewBlocks struct{ Block *struct{ BlockNumber uint64 } }
			}
		}
		if err := json.Unmarshal(m.Payload, &data); err != nil {
			return 0, err
		}
		if block := data.Data.NewBlocks.Block; block != nil {
			return block.BlockNumber, nil
		}
	}
}

func (s *subscriber) close() {
	if s != nil {
		_ = s.conn.CloseNow()
	}
}
