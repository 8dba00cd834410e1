package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"astrolabe/bench/delivery"
)

// The subscribers to new heads, the blocks that all of them must receive, and
// when to give up.
const (
	subscribers = 2000
	headBlocks  = 10
	headsLast   = 5 * time.Minute
)

// heads measures how new heads of the simulated node reach many subscribers.
func (b *bench) heads(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, headsLast)
	defer cancel()
	result, err := delivery.Measurement{
		Protocol: newHeads{b.cached + "/ws"}, Admin: b.admin, Keys: b.keys, Subscribers: subscribers, Blocks: headBlocks,
	}.Run(ctx)
	if err != nil {
		return err
	}
	fmt.Println("new heads through the gateway:")
	result.Print(0)
	return nil
}

// newHeads subscribes to new heads by JSON-RPC.
type newHeads struct{ url string }

// Subscribe opens a WebSocket and waits for the id of its subscription.
func (n newHeads) Subscribe(ctx context.Context, key string) (*delivery.Socket, error) {
	s, err := delivery.Dial(ctx, n.url, key)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result *string
		Error  json.RawMessage
	}
	err = s.Send(ctx, one("starknet_subscribeNewHeads", "[]"))
	if err == nil {
		err = s.Receive(ctx, &answer)
	}
	if err == nil && answer.Result == nil {
		err = fmt.Errorf("the gateway refused a subscription: %s", answer.Error)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Next returns the number of the next block.
func (newHeads) Next(ctx context.Context, s *delivery.Socket) (uint64, error) {
	for {
		var notification struct {
			Method string
			Params struct {
				Result struct {
					BlockNumber uint64 `json:"block_number"`
				}
			}
		}
		if err := s.Receive(ctx, &notification); err != nil {
			return 0, err
		}
		if notification.Method == "starknet_subscriptionNewHeads" {
			return notification.Params.Result.BlockNumber, nil
		}
	}
}
