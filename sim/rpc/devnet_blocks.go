package rpc

import (
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// blockHashed is the result of a method that adds a block.
type blockHashed struct {
	Hash      *starknet.Felt `json:"block_hash,omitempty"`
	Time      uint64         `json:"block_timestamp,omitempty"`
	Increased uint64         `json:"timestamp_increased_by,omitempty"`
}

// addBlock adds a block.
func (s *Server) addBlock() (result blockHashed, err error) {
	if err := s.chain.Mine(1); err != nil {
		return result, err
	}
	result.Hash = &s.chain.Head().Header.BlockHash
	return result, nil
}

func (s *Server) createBlock(string, params) (any, error) { return s.addBlock() }

func (s *Server) setTime(_ string, p params) (any, error) {
	var seconds uint64
	generate := true
	if err := required(p, 0, &seconds); err != nil {
		return nil, err
	}
	if err := optional(p, 1, &generate); err != nil {
		return nil, err
	}
	if err := s.chain.SetTime(seconds); err != nil {
		return nil, invalidParams("%v", err)
	}
	if !generate {
		return blockHashed{Time: seconds}, nil
	}
	result, err := s.addBlock()
	result.Time = seconds
	return result, err
}

func (s *Server) increaseTime(_ string, p params) (any, error) {
	var seconds uint64
	if err := required(p, 0, &seconds); err != nil {
		return nil, err
	}
	if err := s.chain.IncreaseTime(seconds); err != nil {
		return nil, invalidParams("%v", err)
	}
	result, err := s.addBlock()
	result.Increased = seconds
	return result, err
}

// startingBlock reads the number of a sealed block.
func (s *Server) startingBlock(method string, p params) (uint64, error) {
	var id blockID
	if err := required(p, 0, &id); err != nil {
		return 0, err
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return 0, err
	}
	return b.Header.BlockNumber, nil
}

func (s *Server) abortBlocks(method string, p params) (any, error) {
	number, err := s.startingBlock(method, p)
	if err != nil {
		return nil, err
	}
	_, anyway := s.faults.Strike(fault.L1Reorg, "")
	hashes, err := s.chain.Abort(number, anyway)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	return map[string]any{"aborted": hashes}, nil
}

func (s *Server) acceptOnL1(method string, p params) (any, error) {
	number, err := s.startingBlock(method, p)
	if err != nil {
		return nil, err
	}
	hashes, err := s.chain.AcceptOnL1(number)
	if err != nil {
		return nil, err
	}
	return map[string]any{"accepted": hashes}, nil
}
