package main

import (
	"context"
	"encoding/json"
	"fmt"

	"astrolabe/bench/delivery"
)

// newBlocks subscribes to the blocks of SN_MAIN by GraphQL.
type newBlocks struct{ url string }

const query = `subscription { newBlocks(chain: SN_MAIN) { cursor block { blockNumber blockHash timestampIso txCount eventCount } reorg { fromBlock } } }`

// Subscribe opens a WebSocket and waits for the first message, which contains
// the start of the stream.
func (n newBlocks) Subscribe(ctx context.Context, key string) (*delivery.Socket, error) {
	s, err := delivery.Dial(ctx, n.url, key, "graphql-transport-ws")
	if err != nil {
		return nil, err
	}
	if err := begin(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func begin(ctx context.Context, s *delivery.Socket) error {
	text, err := json.Marshal(query)
	if err != nil {
		return err
	}
	for _, message := range []string{`{"type":"connection_init"}`, fmt.Sprintf(`{"id":"1","type":"subscribe","payload":{"query":%s}}`, text)} {
		if err := s.Send(ctx, message); err != nil {
			return err
		}
		if _, err := receive(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// receive returns the payload of the next message of the server.
func receive(ctx context.Context, s *delivery.Socket) (json.RawMessage, error) {
	var m struct {
		Type    string
		Payload json.RawMessage
	}
	err := s.Receive(ctx, &m)
	if err == nil && m.Type != "connection_ack" && m.Type != "next" {
		err = fmt.Errorf("the server sent %s with %s", m.Type, m.Payload)
	}
	return m.Payload, err
}

// Next returns the number of the next block.
func (newBlocks) Next(ctx context.Context, s *delivery.Socket) (uint64, error) {
	for {
		payload, err := receive(ctx, s)
		if err != nil {
			return 0, err
		}
		var data struct {
			Data struct {
				NewBlocks struct{ Block *struct{ BlockNumber uint64 } }
			}
		}
		if err := json.Unmarshal(payload, &data); err != nil {
			return 0, err
		}
		if block := data.Data.NewBlocks.Block; block != nil {
			return block.BlockNumber, nil
		}
	}
}
