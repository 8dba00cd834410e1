package address

import "astrolabe/domain/facts"

// Kind is a kind of activity of an address.
type Kind string

// The kinds.
const (
	TxSent       Kind = "tx_sent"
	TxReceived   Kind = "tx_received"
	TransferIn   Kind = "transfer_in"
	TransferOut  Kind = "transfer_out"
	TransferSelf Kind = "transfer_self"
	Deployed     Kind = "deployed"
	Upgraded     Kind = "upgraded"
)

// kinds are the kinds in the order of their bits in facts.Kinds.
var kinds = []Kind{TxSent, TxReceived, TransferIn, TransferOut, TransferSelf, Deployed, Upgraded}

// KindsOf lists the kinds of a set, always in the same order.
func KindsOf(set facts.Kinds) []Kind {
	list := make([]Kind, 0, 2)
	for i, kind := range kinds {
		if set&(1<<i) != 0 {
			list = append(list, kind)
		}
	}
	return list
}
