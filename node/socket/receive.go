package socket

import (
	"context"
	"encoding/json"
	"time"

	"astrolabe/node/wire"
)

// unsubscribeTimeout is how long a node may take to end a subscription.
const unsubscribeTimeout = 10 * time.Second

// read receives messages until the connection ends.
func (c *Conn) read() {
	for {
		_, text, err := c.ws.Read(c.ctx)
		if err == nil {
			err = c.receive(text)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

func (c *Conn) receive(text []byte) error {
	message, err := wire.SplitAnswer(text)
	if err != nil {
		return err
	}
	if !message.IsNotification() {
		return c.respond(message)
	}
	id, method, result, err := message.Notification()
	if err != nil {
		return err
	}
	c.mu.Lock()
	s, err := c.routes.find(id, Notification{method, result})
	c.mu.Unlock()
	if s != nil {
		s.deliver(Notification{method, result})
	}
	return err
}

// respond passes a response to who waits for it.
func (c *Conn) respond(message wire.Answer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := message.ID()
	r := c.pending[id]
	if !ok || r == nil {
		return wire.Invalid("a response to no request")
	}
	delete(c.pending, id)
	result, err := message.Result(id)
	if r.subscription == nil {
		r.answer <- response{result, err}
		return nil
	}
	c.routes.opening--
	if err == nil {
		r.subscription.id, err = wire.DecodeString(result)
		if err != nil {
			return wire.Invalid("subscription id: %w", err)
		}
		if r.abandoned {
			c.routes.forget(r.subscription.id)
			c.unsubscribe(r.subscription.id)
		} else if err := c.routes.add(r.subscription); err != nil {
			return err
		}
	}
	r.answer <- response{result, err}
	return c.routes.settle()
}

// drop stops deliveries to a subscription and asks the node to end it.
func (c *Conn) drop(s *Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes.remove(s) && c.ctx.Err() == nil {
		c.unsubscribe(s.id)
	}
}

// unsubscribe asks the node to end a subscription, and does not wait for it. The
// caller holds the lock.
func (c *Conn) unsubscribe(id string) {
	params, err := json.Marshal([]string{id})
	if err != nil {
		return // a string always encodes
	}
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, unsubscribeTimeout)
		defer cancel()
		_, _ = c.Ask(ctx, "starknet_unsubscribe", params) // its messages are ignored in any case
	})
}
