package facts

import (
	"cmp"
	"slices"

	"astrolabe/starknet"
)

// UntypedVersion is the version of the evidence that Transfers returns.
const UntypedVersion = 1

// UntypedRole is the role of an address in an untyped transfer.
type UntypedRole string

// The roles. The contract emitted the event; a party may be the sender or the
// recipient.
const (
	UntypedContract UntypedRole = "contract"
	UntypedParty    UntypedRole = "party"
)

// UntypedTransfer is evidence that tokens of or for an address may have moved in
// the block without a transfer row: events with the selector of a transfer that
// no known class explains.
type UntypedTransfer struct {
	Address starknet.Felt
	Role    UntypedRole
	Events  int // how many of them there are in the block
}

// evidence collects the untyped transfers of a block.
type evidence []UntypedTransfer

func (l *evidence) add(e *starknet.Event) {
	felts := payload(e)
	if len(felts) < transferFelts {
		return
	}
	*l = append(*l, UntypedTransfer{e.FromAddress, UntypedContract, 1})
	for _, party := range parties(felts) {
		*l = append(*l, UntypedTransfer{party, UntypedParty, 1})
	}
}

// merge puts the evidence in order and that of one address and role together.
func (l evidence) merge() []UntypedTransfer {
	slices.SortFunc(l, compareUntyped)
	merged := l[:0]
	for i := range l {
		if n := len(merged); n > 0 && compareUntyped(merged[n-1], l[i]) == 0 {
			merged[n-1].Events++
		} else {
			merged = append(merged, l[i])
		}
	}
	return merged
}

func compareUntyped(a, b UntypedTransfer) int {
	return cmp.Or(a.Address.Cmp(b.Address), cmp.Compare(untypedRank(a.Role), untypedRank(b.Role)))
}

func untypedRank(r UntypedRole) int {
	return slices.Index([]UntypedRole{UntypedContract, UntypedParty}, r)
}

const (
	transferFelts = 3   // that every transfer has at least
	partyFelts    = 4   // that every known layout has its parties among
	addressBits   = 251 // an address has at most as many
	quantityBits  = 128 // half a number has at most as many
)

// payload returns the felts of an event after its selectors.
func payload(e *starknet.Event) []starknet.Felt {
	keys := e.Keys[1:]
	if !isTransfer(&e.Keys[0]) {
		keys = keys[1:] // the event is nested in another
	}
	return slices.Concat(keys, e.Data)
}

// parties returns the felts of an untyped transfer that may be its sender or
// its recipient, each once. In every known layout these are among the first
// three felts after the selectors, after an operator if there is one. The first
// two count whatever they are, also the zero of a mint or burn; the next ones only if they are too large for an
// amount or a token ID, which stand there in other layouts.
func parties(felts []starknet.Felt) []starknet.Felt {
	var list []starknet.Felt
	for i := range min(len(felts), partyFelts) {
		bits := felts[i].BitLen()
		if bits <= addressBits && (i < 2 || bits > quantityBits) && !slices.Contains(list, felts[i]) {
			list = append(list, felts[i])
		}
	}
	return list
}
