package bridge

import (
	"slices"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// place is where the signal's transaction stands.
func (s *Signal) place() chain.TxPlace { return chain.TxPlace{Block: s.Block, Tx: s.Tx} }

// pair finds the message of the signal among those of its transaction. Equal
// withdrawals of one transaction have equal messages with one hash.
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

// says reports whether a message's payload means the same as the signal. From
// L1 it is the recipient and the amount, or the token, the depositor, the
// recipient, the amount and perhaps a message to the recipient. To L1 it is a
// zero, the recipient, the token unless the bridge is for one only, and the
// amount.
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
