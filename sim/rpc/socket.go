package rpc

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/coder/websocket"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
)

// Limits of a connection.
const (
	maxWaiting       = 1024 // changes that a slow connection may be behind
	maxSubscriptions = 256
)

// session is one WebSocket connection. Its loop alone touches the subscriptions.
type session struct {
	server        *Server
	conn          *websocket.Conn
	changes       chan chain.Change
	end           context.CancelFunc
	subscriptions map[string]*subscription
	order         []string
	last          uint64 // the newest subscription's number
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has responded
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxBody)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &session{server: s, conn: conn, changes: make(chan chain.Change, maxWaiting), end: cancel, subscriptions: map[string]*subscription{}}
	if s.hub.join(c) {
		defer s.hub.leave(c)
		c.loop(ctx)
	}
}

// loop handles requests and changes, one at a time.
func (c *session) loop(ctx context.Context) {
	incoming := make(chan []byte)
	go func() {
		defer close(incoming)
		for {
			_, message, err := c.conn.Read(ctx)
			if err != nil {
				return
			}
			select {
			case incoming <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case message, open := <-incoming:
			if !open || c.answer(ctx, message) != nil {
				return
			}
		case change := <-c.changes:
			if c.pass(ctx, change) != nil {
				return
			}
		}
	}
}

func (c *session) write(ctx context.Context, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return c.conn.Write(ctx, websocket.MessageText, text)
}

func (c *session) answer(ctx context.Context, message []byte) error {
	requests, batch, bad := readRequests(message)
	if bad != nil {
		return c.write(ctx, encode(c.server.answer(&request{}, nil, bad)))
	}
	for i := range requests {
		if _, cut := c.server.faults.Strike(fault.Cut, requests[i].Method); cut {
			c.server.count(requests[i].Method)
			return errInvalidRequest
		}
	}
	if batch {
		return c.write(ctx, c.server.batch(requests)) // batches must not contain subscriptions
	}
	r := &requests[0]
	if !subscribing(r.Method) {
		return c.write(ctx, c.server.single(r))
	}
	c.server.count(r.Method)
	if f, struck := c.server.faults.Strike(fault.RPCError, r.Method); struck {
		return c.write(ctx, encode(c.server.answer(r, nil, faultError(f))))
	}
	if r.Method == "starknet_unsubscribe" {
		ok, err := c.unsubscribe(r.Params)
		return c.write(ctx, encode(c.server.answer(r, ok, err)))
	}
	sub, err := c.server.subscribe(r)
	if err == nil && len(c.subscriptions) >= maxSubscriptions {
		err = &Error{-32603, "Too many subscriptions", nil}
	}
	if err != nil {
		return c.write(ctx, encode(c.server.answer(r, nil, err)))
	}
	c.last++
	id := strconv.FormatUint(c.last, 10)
	c.subscriptions[id] = sub
	c.order = append(c.order, id)
	if err := c.write(ctx, encode(c.server.answer(r, id, nil))); err != nil {
		return err
	}
	return c.notify(ctx, id, sub.begin(c.server))
}

func (c *session) unsubscribe(raw json.RawMessage) (bool, error) {
	p, err := readParams(raw, []string{"subscription_id"})
	if err != nil {
		return false, err
	}
	var id string
	if err := required(p, 0, &id); err != nil {
		return false, err
	}
	if _, ok := c.subscriptions[id]; !ok {
		return false, errSubscription
	}
	delete(c.subscriptions, id)
	return true, nil
}

// pass sends a change to every subscription, in the order of their creation.
func (c *session) pass(ctx context.Context, change chain.Change) error {
	kept := c.order[:0]
	for _, id := range c.order {
		sub, ok := c.subscriptions[id]
		if !ok {
			continue
		}
		kept = append(kept, id)
		if err := c.notify(ctx, id, sub.change(c.server, change)); err != nil {
			return err
		}
	}
	c.order = kept
	return nil
}

// notification is one message to a subscriber.
type notification struct {
	method string
	result any
}

func (c *session) notify(ctx context.Context, id string, notifications []notification) error {
	for _, n := range notifications {
		text := encode(map[string]any{
			"jsonrpc": "2.0", "method": n.method,
			"params": map[string]any{"subscription_id": id, "result": n.result},
		})
		if err := c.write(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
