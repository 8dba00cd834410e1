package rpc

import (
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/starknet"
)

func (s *Server) subscribeEvents(sub *subscription, r *request) error {
	p, err := readParams(r.Params, subscriptionParams[r.Method])
	if err != nil {
		return err
	}
	var filter eventFilter
	finality := starknet.AcceptedOnL2
	if err := optional(p, 0, &filter.Address); err != nil {
		return err
	}
	if err := optional(p, 1, &filter.Keys); err != nil {
		return err
	}
	if err := optional(p, 3, &finality); err != nil {
		return err
	}
	if err := filter.check(); err != nil {
		return err
	}
	sub.preview = finality == starknet.PreConfirmed
	type emittedWithFinality struct {
		starknet.EmittedEvent
		Finality starknet.FinalityStatus `json:"finality_status"`
	}
	sub.tell = func(_ *Server, b *chain.Block, sealed bool) (all []notification) {
		status := starknet.AcceptedOnL2
		if !sealed {
			status = starknet.PreConfirmed
		}
		each(b, sealed, func(i int) {
			for j := range b.Receipts[i].Events {
				if filter.matches(&b.Receipts[i].Events[j]) {
					all = append(all, notification{"starknet_subscriptionEvents", emittedWithFinality{emitted(b, i, j, sealed), status}})
				}
			}
		})
		return all
	}
	return s.start(sub, r.Method, p, 2)
}

func (s *Server) subscribeStatus(sub *subscription, r *request) error {
	p, err := readParams(r.Params, subscriptionParams[r.Method])
	if err != nil {
		return err
	}
	var hash starknet.Felt
	if err := required(p, 0, &hash); err != nil {
		return err
	}
	sub.always = true
	var sent transactionStatus
	sub.tell = func(s *Server, _ *chain.Block, _ bool) []notification {
		f, err := s.find(r.Method, hash)
		if err != nil {
			return nil
		}
		status := s.statusOf(f)
		if status == sent {
			return nil
		}
		sent = status
		return []notification{{"starknet_subscriptionTransactionStatus", map[string]any{"transaction_hash": hash, "status": status}}}
	}
	return nil
}

func (s *Server) subscribeReceipts(sub *subscription, r *request) error {
	p, err := readParams(r.Params, subscriptionParams[r.Method])
	if err != nil {
		return err
	}
	wanted, err := finalityFilter(sub, p, 0, starknet.PreConfirmed, starknet.AcceptedOnL2)
	if err != nil {
		return err
	}
	from, err := senderFilter(p, 1)
	if err != nil {
		return err
	}
	sub.tell = func(s *Server, b *chain.Block, sealed bool) (all []notification) {
		each(b, sealed, func(i int) {
			receipt := s.placed(found{b, i, sealed})
			if sealed {
				receipt.FinalityStatus = starknet.AcceptedOnL2
			}
			if from(&b.Transactions[i]) && slices.Contains(wanted, receipt.FinalityStatus) {
				all = append(all, notification{"starknet_subscriptionNewTransactionReceipts", receipt})
			}
		})
		return all
	}
	return nil
}

func (s *Server) subscribeTransactions(sub *subscription, r *request) error {
	p, err := readParams(r.Params, subscriptionParams[r.Method])
	if err != nil {
		return err
	}
	wanted, err := finalityFilter(sub, p, 0, "RECEIVED", "CANDIDATE", starknet.PreConfirmed, starknet.AcceptedOnL2)
	if err != nil {
		return err
	}
	from, err := senderFilter(p, 1)
	if err != nil {
		return err
	}
	proofs, err := wantsProofFacts(p, 2)
	if err != nil {
		return err
	}
	sub.tell = func(_ *Server, b *chain.Block, sealed bool) (all []notification) {
		status := starknet.AcceptedOnL2
		if !sealed {
			status = starknet.PreConfirmed
		}
		each(b, sealed, func(i int) {
			if from(&b.Transactions[i]) && slices.Contains(wanted, status) {
				all = append(all, notification{"starknet_subscriptionNewTransaction", newTransaction{withProofFacts(b.Transactions[i], proofs), status}})
			}
		})
		return all
	}
	return nil
}

// newTransaction is a transaction's object with its finality as one more member.
type newTransaction struct {
	transaction starknet.Transaction
	finality    starknet.FinalityStatus
}

// MarshalJSON adds the member to the node's object.
func (n newTransaction) MarshalJSON() ([]byte, error) {
	text, err := n.transaction.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"finality_status":"`...)
	text = append(text, n.finality...)
	return append(text, `"}`...), nil
}
