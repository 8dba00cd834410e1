package rpc

import (
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/starknet"
)

const (
	maxBlocksBack = 1024
	maxSenders    = 1024
)

// subscribing reports whether a method needs a connection.
func subscribing(method string) bool {
	_, known := subscriptionParams[method]
	return known
}

// subscriptionParams are the methods that need a WebSocket, with the names of
// their arguments in order.
var subscriptionParams = map[string][]string{
	"starknet_subscribeNewHeads":               {"block_id"},
	"starknet_subscribeEvents":                 {"from_address", "keys", "block_id", "finality_status"},
	"starknet_subscribeTransactionStatus":      {"transaction_hash"},
	"starknet_subscribeNewTransactionReceipts": {"finality_status", "sender_address"},
	"starknet_subscribeNewTransactions":        {"finality_status", "sender_address", "tags"},
	"starknet_unsubscribe":                     {"subscription_id"},
}

// subscription is a client's subscription. tell returns the notifications about
// one block; sealed is false for the pre-confirmed block.
type subscription struct {
	tell    func(s *Server, b *chain.Block, sealed bool) []notification
	next    uint64 // the first sealed block that was not sent yet
	reorgs  bool   // the client is notified of reorgs
	always  bool   // tell is called on every change
	preview bool   // the client is notified of the pre-confirmed block
}

// subscribe reads a subscription request.
func (s *Server) subscribe(r *request) (*subscription, error) {
	sub := &subscription{next: s.chain.Head().Header.BlockNumber + 1}
	switch r.Method {
	case "starknet_subscribeNewHeads":
		sub.reorgs = true
		return sub, s.subscribeHeads(sub, r)
	case "starknet_subscribeEvents":
		sub.reorgs = true
		return sub, s.subscribeEvents(sub, r)
	case "starknet_subscribeTransactionStatus":
		return sub, s.subscribeStatus(sub, r)
	case "starknet_subscribeNewTransactionReceipts":
		sub.reorgs = true
		return sub, s.subscribeReceipts(sub, r)
	case "starknet_subscribeNewTransactions":
		sub.reorgs = true
		return sub, s.subscribeTransactions(sub, r)
	}
	return nil, errMethod
}

// start reads the block from which a subscription begins.
func (s *Server) start(sub *subscription, method string, p params, i int) error {
	if !p.given(i) {
		return nil
	}
	var id blockID
	if err := required(p, i, &id); err != nil {
		return err
	}
	if id.tag != "" && id.tag != "latest" {
		return invalidParams("a subscription cannot begin at %q", id.tag)
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return err
	}
	if s.chain.Head().Header.BlockNumber-b.Header.BlockNumber > maxBlocksBack {
		return errTooManyBlocksBack
	}
	sub.next = b.Header.BlockNumber
	return nil
}

// begin sends the blocks between the start of the subscription and the head.
func (sub *subscription) begin(s *Server) []notification {
	if sub.always {
		return sub.tell(s, nil, false)
	}
	var all []notification
	for head := s.chain.Head().Header.BlockNumber; sub.next <= head; sub.next++ {
		b, err := s.chain.Block(sub.next)
		if err != nil {
			break
		}
		all = append(all, sub.tell(s, b, true)...)
	}
	return all
}

// change returns the notifications about a change of the chain.
func (sub *subscription) change(s *Server, change chain.Change) []notification {
	if sub.always {
		return sub.tell(s, nil, false)
	}
	var all []notification
	if len(change.Removed) > 0 {
		first, last := change.Removed[0].Header, change.Removed[len(change.Removed)-1].Header
		if sub.reorgs {
			all = append(all, notification{"starknet_subscriptionReorg", reorg{first.BlockHash, first.BlockNumber, last.BlockHash, last.BlockNumber}})
		}
		sub.next = min(sub.next, first.BlockNumber)
	}
	if change.Admitted != nil && sub.preview {
		all = append(all, sub.tell(s, change.Admitted, false)...)
	}
	for _, b := range change.Added {
		if b.Header.BlockNumber >= sub.next {
			all = append(all, sub.tell(s, b, true)...)
			sub.next = b.Header.BlockNumber + 1
		}
	}
	return all
}

// reorg is the range of blocks that left the chain.
type reorg struct {
	FirstHash   starknet.Felt `json:"starting_block_hash"`
	FirstNumber uint64        `json:"starting_block_number"`
	LastHash    starknet.Felt `json:"ending_block_hash"`
	LastNumber  uint64        `json:"ending_block_number"`
}

func (s *Server) subscribeHeads(sub *subscription, r *request) error {
	p, err := readParams(r.Params, subscriptionParams[r.Method])
	if err != nil {
		return err
	}
	sub.tell = func(s *Server, b *chain.Block, _ bool) []notification {
		return []notification{{"starknet_subscriptionNewHeads", s.header(r.Method, b)}}
	}
	return s.start(sub, r.Method, p, 0)
}

// finalityFilter reads the statuses that a subscriber wants; ACCEPTED_ON_L2 by default.
func finalityFilter(sub *subscription, p params, i int, known ...starknet.FinalityStatus) ([]starknet.FinalityStatus, error) {
	wanted := []starknet.FinalityStatus{starknet.AcceptedOnL2}
	if err := optional(p, i, &wanted); err != nil {
		return nil, err
	}
	for _, w := range wanted {
		if !slices.Contains(known, w) {
			return nil, invalidParams("unknown finality status %q", w)
		}
		sub.preview = sub.preview || w != starknet.AcceptedOnL2
	}
	return wanted, nil
}

// senderFilter reads the senders that a subscriber wants; all by default.
func senderFilter(p params, i int) (func(*starknet.Transaction) bool, error) {
	var senders []starknet.Felt
	if err := optional(p, i, &senders); err != nil {
		return nil, err
	}
	if len(senders) > maxSenders {
		return nil, errTooManyAddresses
	}
	return func(t *starknet.Transaction) bool {
		if len(senders) == 0 {
			return true
		}
		sender, ok := t.From()
		return ok && slices.Contains(senders, sender)
	}, nil
}

// each calls f for the new transactions of a block: all of a sealed block, the
// last of a pre-confirmed one.
func each(b *chain.Block, sealed bool, f func(i int)) {
	first := 0
	if !sealed {
		first = len(b.Transactions) - 1
	}
	for i := first; i < len(b.Transactions); i++ {
		f(i)
	}
}
