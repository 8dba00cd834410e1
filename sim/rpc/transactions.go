package rpc

import (
	"encoding/binary"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// found is a transaction with its block, which may be the pre-confirmed one.
type found struct {
	block  *chain.Block
	index  int
	sealed bool
}

func (f found) transaction() starknet.Transaction { return f.block.Transactions[f.index] }

// find looks up a transaction on the chain and in the pre-confirmed block.
func (s *Server) find(method string, hash starknet.Felt) (found, error) {
	if place, ok := s.chain.Find(hash); ok {
		b, err := s.chain.Block(place.Block)
		if err == nil && place.Index < len(b.Transactions) && b.Transactions[place.Index].Hash == hash &&
			b.Header.BlockNumber <= s.head(method).Header.BlockNumber {
			return found{b, place.Index, true}, nil
		}
	}
	pending := s.chain.PreConfirmed()
	for i := range pending.Transactions {
		if pending.Transactions[i].Hash == hash {
			return found{pending, i, false}, nil
		}
	}
	return found{}, errTransactionHash
}

func (s *Server) finality(f found) starknet.FinalityStatus {
	if !f.sealed {
		return starknet.PreConfirmed
	}
	return s.chain.Finality(f.block.Header.BlockNumber)
}

func (s *Server) findParam(method string, p params) (found, error) {
	var hash starknet.Felt
	if err := required(p, 0, &hash); err != nil {
		return found{}, err
	}
	return s.find(method, hash)
}

func (s *Server) transactionByHash(method string, p params) (any, error) {
	proofs, err := wantsProofFacts(p, 1)
	if err != nil {
		return nil, err
	}
	f, err := s.findParam(method, p)
	if err != nil {
		return nil, err
	}
	return withProofFacts(f.transaction(), proofs), nil
}

func withProofFacts(t starknet.Transaction, proofs bool) starknet.Transaction {
	if !proofs {
		t.ProofFacts = nil
	}
	return t
}

func (s *Server) transactionByIndex(method string, p params) (any, error) {
	var id blockID
	var index uint64
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if err := required(p, 1, &index); err != nil {
		return nil, err
	}
	proofs, err := wantsProofFacts(p, 2)
	if err != nil {
		return nil, err
	}
	b := s.chain.PreConfirmed()
	if !id.preConfirmed() {
		if b, err = s.sealed(method, id); err != nil {
			return nil, err
		}
	}
	if index >= uint64(len(b.Transactions)) {
		return nil, errTransactionIndex
	}
	return withProofFacts(b.Transactions[index], proofs), nil
}

func (s *Server) receipt(method string, p params) (any, error) {
	if _, missing := s.faults.Strike(fault.MissingReceipts, method); missing {
		return nil, errTransactionHash
	}
	f, err := s.findParam(method, p)
	if err != nil {
		return nil, err
	}
	return s.placed(f), nil
}

// placed returns a receipt with its block and its finality.
func (s *Server) placed(f found) starknet.Receipt {
	r := f.block.Receipts[f.index]
	r.FinalityStatus = s.finality(f)
	r.BlockNumber = &f.block.Header.BlockNumber
	if f.sealed {
		r.BlockHash = &f.block.Header.BlockHash
	}
	return r
}

// transactionStatus is the specification's TXN_STATUS_RESULT.
type transactionStatus struct {
	Finality  starknet.FinalityStatus  `json:"finality_status"`
	Execution starknet.ExecutionStatus `json:"execution_status,omitempty"`
	Failure   string                   `json:"failure_reason,omitempty"`
}

func (s *Server) status(method string, p params) (any, error) {
	f, err := s.findParam(method, p)
	if err != nil {
		return nil, err
	}
	return s.statusOf(f), nil
}

func (s *Server) statusOf(f found) transactionStatus {
	r := &f.block.Receipts[f.index]
	return transactionStatus{s.finality(f), r.ExecutionStatus, r.RevertReason}
}

// L1Transaction returns the hash of the simulated L1 transaction that sent the
// messages of a block: there is one for every block with L1 handlers, and the
// hash encodes the block.
func L1Transaction(block uint64) starknet.Hash256 {
	var seed [16]byte
	copy(seed[:], "l1 block")
	binary.BigEndian.PutUint64(seed[8:], block)
	h := starknet.Hash256(starknet.Keccak256(seed[:]))
	binary.BigEndian.PutUint64(h[24:], block)
	return h
}

// messagesStatus returns the status of the messages of a simulated L1
// transaction.
func (s *Server) messagesStatus(method string, p params) (any, error) {
	var hash starknet.Hash256
	if err := required(p, 0, &hash); err != nil {
		return nil, err
	}
	number := binary.BigEndian.Uint64(hash[24:])
	b, err := s.sealed(method, blockID{Number: &number})
	if err != nil || L1Transaction(number) != hash {
		return nil, errTransactionHash
	}
	type message struct {
		Hash starknet.Felt `json:"transaction_hash"`
		transactionStatus
	}
	messages := []message{}
	for i := range b.Transactions {
		if b.Transactions[i].Type == starknet.L1Handler {
			messages = append(messages, message{b.Transactions[i].Hash, s.statusOf(found{b, i, true})})
		}
	}
	if len(messages) == 0 {
		return nil, errTransactionHash
	}
	return messages, nil
}
