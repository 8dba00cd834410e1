package bridge

import (
	"slices"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// place returns the position of the signal's transaction.
func (s *Signal) place() chain.TxPlace { return chain.TxPlace{Block: s.Block, Tx: s.Tx} }

// pair finds the message of the signal in its transaction. Equal withdrawals of
// one transaction have messages with the same hash.
func (s *Signal) pair(messages []chain.Message) {
	if s.Amount == nil {
		return
	}
	for i := range messages {
		if m := &messages[i]; m.Contract() == s.bridge && s.says(m.Direction, m.Payload) {
			s.Message = &m.Hash
			return
		}
	}
}

// says reports whether a message's payload matches the signal. From L1 the
// payload is recipient and amount, or token, depositor, recipient, amount and
// optionally a message to the recipient. To L1 it is zero, recipient, token
// (unless the bridge has only one) and amount.
func (s *Signal) says(direction facts.Direction, payload []starknet.Felt) bool {
	low, high := s.Amount.Halves()
	switch {
	case s.Direction == Inbound && direction == facts.L1ToL2:
		return slices.Equal(payload, []starknet.Felt{*s.Account, low, high}) ||
			s.L1Token != nil && len(payload) >= 5 && payload[0] == *s.L1Token && slices.Equal(payload[2:5], []starknet.Felt{*s.Account, low, high})
	case s.Direction == Outbound && direction == facts.L2ToL1:
		return slices.Equal(payload, []starknet.Felt{{}, *s.recipient, low, high}) ||
			s.L1Token != nil && slices.Equal(payload, []starknet.Felt{{}, *s.recipient, *s.L1Token, low, high})
	}
	return false
}
