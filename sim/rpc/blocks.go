package rpc

import (
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

func (s *Server) getChainID(method string, _ params) (any, error) {
	if _, lie := s.faults.Strike(fault.OtherChain, method); lie {
		return s.otherID, nil
	}
	return s.chainID, nil
}

func (s *Server) blockNumber(method string, _ params) (any, error) {
	return s.head(method).Header.BlockNumber, nil
}

func (s *Server) blockHashAndNumber(method string, _ params) (any, error) {
	h := s.head(method).Header
	return struct {
		Hash   starknet.Felt `json:"block_hash"`
		Number uint64        `json:"block_number"`
	}{h.BlockHash, h.BlockNumber}, nil
}

// preConfirmedBlock is the pre-confirmed block with its transactions in some
// form. It has no status, which distinguishes it from a sealed block.
type preConfirmedBlock struct {
	starknet.PreConfirmedHeader
	Transactions any `json:"transactions"`
}

// sealedBlock is a block of the chain with its transactions in some form.
type sealedBlock struct {
	Status starknet.FinalityStatus `json:"status"`
	starknet.BlockHeader
	Transactions any `json:"transactions"`
}

// block returns a block whose transactions have the form that content returns.
func (s *Server) block(method string, p params, content func(b *chain.Block, finality starknet.FinalityStatus) any) (any, error) {
	var id blockID
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if id.preConfirmed() {
		b := s.chain.PreConfirmed()
		return preConfirmedBlock{b.Header.PreConfirmedHeader, content(b, starknet.PreConfirmed)}, nil
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return nil, err
	}
	finality := s.chain.Finality(b.Header.BlockNumber)
	return sealedBlock{finality, s.header(method, b), content(b, finality)}, nil
}

// header returns a block's header, with a wrong parent if that fault is active.
func (s *Server) header(method string, b *chain.Block) starknet.BlockHeader {
	h := b.Header
	if f, lie := s.faults.Strike(fault.WrongParent, method); lie {
		if h.BlockNumber+max(f.Depth, 1) > s.chain.Head().Header.BlockNumber {
			h.ParentHash = starknet.PoseidonOne(h.ParentHash)
		}
	}
	return h
}

func (s *Server) blockWithHashes(method string, p params) (any, error) {
	return s.block(method, p, func(b *chain.Block, _ starknet.FinalityStatus) any {
		hashes := make([]starknet.Felt, len(b.Transactions))
		for i := range b.Transactions {
			hashes[i] = b.Transactions[i].Hash
		}
		return hashes
	})
}

func (s *Server) blockWithTransactions(method string, p params) (any, error) {
	proofs, err := wantsProofFacts(p, 1)
	if err != nil {
		return nil, err
	}
	return s.block(method, p, func(b *chain.Block, _ starknet.FinalityStatus) any {
		transactions := slices.Clone(b.Transactions)
		for i := range transactions {
			if !proofs {
				transactions[i].ProofFacts = nil
			}
		}
		if transactions == nil {
			return []starknet.Transaction{}
		}
		return transactions
	})
}

func (s *Server) blockWithReceipts(method string, p params) (any, error) {
	proofs, err := wantsProofFacts(p, 1)
	if err != nil {
		return nil, err
	}
	return s.block(method, p, func(b *chain.Block, finality starknet.FinalityStatus) any {
		pairs := make([]starknet.TransactionWithReceipt, len(b.Transactions))
		for i := range pairs {
			pairs[i] = starknet.TransactionWithReceipt{Transaction: b.Transactions[i], Receipt: b.Receipts[i]}
			pairs[i].Transaction.Hash = starknet.Felt{} // it is in the receipt
			pairs[i].Receipt.FinalityStatus = finality
			if !proofs {
				pairs[i].Transaction.ProofFacts = nil
			}
		}
		if _, missing := s.faults.Strike(fault.MissingReceipts, method); missing && len(pairs) > 0 {
			pairs = pairs[:len(pairs)-1]
		}
		return pairList(pairs)
	})
}

// wantsProofFacts reads the flag that adds proof facts to transactions.
func wantsProofFacts(p params, i int) (bool, error) {
	var flags []string
	if err := optional(p, i, &flags); err != nil {
		return false, err
	}
	for _, f := range flags {
		if f != "INCLUDE_PROOF_FACTS" {
			return false, invalidParams("unknown response flag %q", f)
		}
	}
	return len(flags) > 0, nil
}

func (s *Server) transactionCount(method string, p params) (any, error) {
	var id blockID
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if id.preConfirmed() {
		return len(s.chain.PreConfirmed().Transactions), nil
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return nil, err
	}
	return len(b.Transactions), nil
}

func (s *Server) stateUpdate(method string, p params) (any, error) {
	var id blockID
	var only []starknet.Felt
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if err := optional(p, 1, &only); err != nil {
		return nil, err
	}
	b := s.chain.PreConfirmed()
	if !id.preConfirmed() {
		var err error
		if b, err = s.sealed(method, id); err != nil {
			return nil, err
		}
	}
	update := b.StateUpdate
	if p.given(1) {
		update.StateDiff = restrict(update.StateDiff, only)
	}
	return update, nil
}

// restrict keeps only the changes of the given contracts.
func restrict(d starknet.StateDiff, only []starknet.Felt) starknet.StateDiff {
	keep := func(address starknet.Felt) bool { return slices.Contains(only, address) }
	d.StorageDiffs = filtered(d.StorageDiffs, func(x starknet.StorageDiff) bool { return keep(x.Address) })
	d.DeployedContracts = filtered(d.DeployedContracts, func(x starknet.DeployedContract) bool { return keep(x.Address) })
	d.ReplacedClasses = filtered(d.ReplacedClasses, func(x starknet.ReplacedClass) bool { return keep(x.ContractAddress) })
	d.Nonces = filtered(d.Nonces, func(x starknet.NonceUpdate) bool { return keep(x.ContractAddress) })
	return d
}

func filtered[T any](list []T, keep func(T) bool) []T {
	kept := make([]T, 0, len(list))
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}
