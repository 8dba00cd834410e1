package facts

import (
	"slices"

	"astrolabe/starknet"
)

// TransfersVersion is the version of Transfers.
const TransfersVersion = 2

// The selectors of the events that move tokens.
var (
	transfer       = starknet.Selector("Transfer")
	transferSingle = starknet.Selector("TransferSingle")
	transferBatch  = starknet.Selector("TransferBatch")
)

// Transfers returns the token transfers of events, in order, and the evidence
// of transfers that cannot be typed. Only events with
// the selector of Transfer, TransferSingle or TransferBatch as their first or
// second key qualify; the fee transfers of reverted transactions are included.
//
// The class at the block takes precedence, and after it the class that a proxy
// executes. If the ABI of one has events with that first key, only a payload
// that fits a recognised transfer layout, and no other event of the ABI, gives
// rows. If both are unknown, have no readable ABI or do not declare the event,
// the current layouts of the standards are tried instead. The old layout with
// all fields in the data is shared by ERC-20 and ERC-721: then it is the one
// that the functions of a Cairo 0 class are for, and none without such a class.
//
// When the class or the implementation changes within the block, all that can
// have emitted the event must give the same rows. A payload that does not fit,
// or that holds half a u256 of more than 128 bits, gives none.
//
// An event that qualifies and gives no row is evidence, unless the ABI in force
// declares it as something else, or it has fewer felts than a sender, a
// recipient and a quantity take.
func Transfers(events []Event, at View) ([]Transfer, []UntypedTransfer) {
	candidates := 0
	for i := range events {
		if isCandidate(events[i].Keys) {
			candidates++
		}
	}
	if candidates == 0 {
		return nil, nil
	}
	var unread evidence
	out := transferRows{rows: make([]Transfer, 0, candidates)}
	for i := range events {
		if e := &events[i]; isCandidate(e.Keys) {
			switch m, meaning := at.Runtime(e.FromAddress).read(&e.Event); meaning {
			case moves:
				out.add(e, &m)
			case untyped:
				unread.add(&e.Event)
			}
		}
	}
	return out.rows, unread.merge()
}

func isCandidate(keys []starknet.Felt) bool {
	return len(keys) > 0 && isTransfer(&keys[0]) || len(keys) > 1 && isTransfer(&keys[1])
}

func isTransfer(key *starknet.Felt) bool {
	return *key == transfer || *key == transferSingle || *key == transferBatch
}

// movement is the content of a transfer event: sender, recipient, and the
// halves of the IDs and amounts, which alias the event. A standard without IDs
// or without amounts leaves them nil; otherwise there are equally many of both.
type movement struct {
	standard     Standard
	from, to     *starknet.Felt
	ids, amounts []starknet.Felt
}

// equal reports whether two readings of one event agree.
func (m *movement) equal(other *movement) bool {
	return m.standard == other.standard && *m.from == *other.from && *m.to == *other.to &&
		slices.Equal(m.ids, other.ids) && slices.Equal(m.amounts, other.amounts)
}

// transferRows collects transfers, and their numbers in few pieces of memory.
type transferRows struct {
	rows    []Transfer
	numbers []starknet.Uint256
}

func (r *transferRows) add(e *Event, m *movement) {
	for i := range max(len(m.ids), len(m.amounts)) / 2 {
		r.rows = append(r.rows, Transfer{
			TxIndex: e.TxIndex, LogIndex: e.LogIndex, Index: i,
			Standard: m.standard, Token: e.FromAddress, From: *m.from, To: *m.to,
			Amount: r.number(m.amounts, i), TokenID: r.number(m.ids, i),
		})
	}
}

// number keeps the i-th number of a list of halves; it is nil when there is no
// list.
func (r *transferRows) number(halves []starknet.Felt, i int) *starknet.Uint256 {
	if len(halves) == 0 {
		return nil
	}
	if len(r.numbers) == cap(r.numbers) {
		r.numbers = make([]starknet.Uint256, 0, max(16, min(cap(r.rows)-len(r.rows)+1, 4096)))
	}
	number, _ := starknet.Uint256FromHalves(halves[2*i], halves[2*i+1]) // checked when it was read
	r.numbers = append(r.numbers, number)
	return &r.numbers[len(r.numbers)-1]
}
