package rpc

import (
	"encoding/json"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// blockID is a block's number, hash or tag.
type blockID struct {
	Number *uint64        `json:"block_number"`
	Hash   *starknet.Felt `json:"block_hash"`
	tag    string
}

// UnmarshalJSON reads the specification's three forms.
func (id *blockID) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &id.tag); err != nil {
			return err
		}
		switch id.tag {
		case "latest", "pre_confirmed", "l1_accepted":
			return nil
		}
		return invalidParams("unknown block tag %q", id.tag)
	}
	type plain blockID
	if err := json.Unmarshal(data, (*plain)(id)); err != nil {
		return err
	}
	if (id.Number == nil) == (id.Hash == nil) {
		return invalidParams("a block id has either a number or a hash")
	}
	return nil
}

func (id blockID) preConfirmed() bool { return id.tag == "pre_confirmed" }

// head returns the newest block that the node reports, which a fault may make
// stale.
func (s *Server) head(method string) *chain.Block {
	head := s.chain.Head()
	if f, stale := s.faults.Strike(fault.StaleHead, method); stale {
		number := head.Header.BlockNumber
		if b, err := s.chain.Block(number - min(number, f.Depth)); err == nil {
			return b
		}
	}
	return head
}

// sealed returns the sealed block with an id.
func (s *Server) sealed(method string, id blockID) (*chain.Block, error) {
	head := s.head(method)
	var b *chain.Block
	var err error
	switch {
	case id.tag == "latest":
		return head, nil
	case id.tag == "l1_accepted":
		b, err = s.chain.Block(s.chain.L1Head())
	case id.Hash != nil:
		b, err = s.chain.BlockByHash(*id.Hash)
	case id.Number != nil:
		b, err = s.chain.Block(*id.Number)
	default:
		return nil, errBlockNotFound
	}
	if err == nil && b.Header.BlockNumber > head.Header.BlockNumber {
		return nil, errBlockNotFound
	}
	return b, err
}

// readClasses calls f with the state after the block with an id. The block may
// be older than the blocks that keep their state: only classes are correct in
// it.
func (s *Server) readClasses(method string, id blockID, f func(on state.Reader) error) error {
	if id.preConfirmed() {
		return s.chain.ReadPreConfirmed(func(on state.Reader, _ *starknet.PreConfirmedHeader) error { return f(on) })
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return err
	}
	return s.chain.ReadClasses(b.Header.BlockHash, func(view state.View) error { return f(view) })
}

// readState calls f with the state after the block with an id.
func (s *Server) readState(method string, id blockID, f func(on state.Reader, header *starknet.PreConfirmedHeader) error) error {
	if id.preConfirmed() {
		return s.chain.ReadPreConfirmed(f)
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return err
	}
	return s.chain.ReadAt(b.Header.BlockNumber, func(view state.View, at *chain.Block) error {
		if at.Header.BlockHash != b.Header.BlockHash {
			return errBlockNotFound
		}
		return f(view, &at.Header.PreConfirmedHeader)
	})
}
