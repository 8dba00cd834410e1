package facts

import (
	"slices"

	"astrolabe/starknet"
)

// TransfersVersion is the version of Transfers.
const TransfersVersion = 1

// The selectors of the events that move tokens.
var (
	transfer       = starknet.Selector("Transfer")
	transferSingle = starknet.Selector("TransferSingle")
	transferBatch  = starknet.Selector("TransferBatch")
)

// Transfers returns the token transfers of events, in order. Only events with
// the selector of Transfer, TransferSingle or TransferBatch as their first or
// second key qualify; the fee transfers of reverted transactions are included.
//
// The class at the block takes precedence. If its ABI has events with that
// first key, only a payload that fits a recognised transfer layout, and no
// other event of the ABI, gives rows. If the class is unknown, has no readable
// ABI or does not declare the event, like a proxy's, the current layouts of the
// standards are tried instead; the old one with all fields in the data is
// excluded, because ERC-20 and ERC-721 share it.
//
// When the class changes within the block, both must give the same rows. A
// payload that does not fit, or that holds half a u256 of more than 128 bits,
// gives none.
func Transfers(events []Event, at View) []Transfer {
	candidates := 0
	for i := range events {
		if isCandidate(events[i].Keys) {
			candidates++
		}
	}
	if candidates == 0 {
		return nil
	}
	out := transferRows{rows: make([]Transfer, 0, candidates)}
	for i := range events {
		if e := &events[i]; isCandidate(e.Keys) {
			out.add(e, at.Runtime(e.FromAddress))
		}
	}
	return out.rows
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

func (r *transferRows) add(e *Event, runtime Runtime) {
	class := runtime.After
	if class == nil {
		class = runtime.Before
	}
	m, ok := class.movement(&e.Event)
	if !ok {
		return
	}
	if before := runtime.Before; before != nil && before.Hash != class.Hash {
		if other, ok := before.movement(&e.Event); !ok || !m.equal(&other) {
			return
		}
	}
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
