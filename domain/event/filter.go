package event

import (
	"slices"
	"strconv"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Filter selects events. Values of one position are alternatives, populated
// positions must all match, and the others match everything.
type Filter struct {
	Addresses []starknet.Felt
	Topics    [Positions][]starknet.Felt // by key position
	From, To  *uint64                    // both included; nil: without that bound
	// FirstArgument is the argument that named the values of the first key, for
	// messages; empty if that is topic0.
	FirstArgument domain.Argument
	// KeyArgument is the argument that named the values after the first key, for
	// messages; empty if each position has an argument of its own.
	KeyArgument domain.Argument
}

// The limits of a filter.
const (
	Positions    = 16     // key positions that a filter can name
	MaxAddresses = 128    // emitting contracts
	MaxDistinct  = 128    // distinct values of one position
	MaxValues    = 256    // values of all positions together
	MaxBlocks    = 10_000 // blocks between explicit bounds, both included
)

// check returns invalid_request for a filter without first key and address,
// with too many values, or with an invalid range. The maximum range depends on
// the caller and is checked elsewhere.
func (f *Filter) check() error {
	values := 0
	for position, list := range f.Topics {
		values += len(list)
		if n := len(distinct(list)); n > MaxDistinct {
			return refuse("%s accepts at most %d distinct values, got %d.", f.argument(position), MaxDistinct, n)
		}
	}
	switch {
	case values > MaxValues:
		return refuse("%s to %s accept at most %d values in total, got %d.", topic(0), topic(Positions-1), MaxValues, values)
	case len(f.Addresses) > MaxAddresses:
		return refuse("%s accepts at most %d values, got %d.", emitters, MaxAddresses, len(f.Addresses))
	case f.From != nil && f.To != nil && *f.From > *f.To:
		return refuse("%s (%d) must not be greater than %s (%d).", fromBlock, *f.From, toBlock, *f.To)
	case f.hasKeys() && len(f.Topics[0]) == 0:
		return refuse("%s requires %s; an address alone is not enough.", f.keyArgument(), topic(0))
	case f.hasKeys() && (f.From == nil || f.To == nil):
		return refuse("%s requires both %s and %s.", f.keyArgument(), fromBlock, toBlock)
	case len(f.Topics[0]) == 0 && len(f.Addresses) == 0:
		return refuse("A search requires %s or %s.", topic(0), emitters)
	}
	return nil
}

// hasKeys reports whether a position after the first is populated.
func (f *Filter) hasKeys() bool {
	return slices.ContainsFunc(f.Topics[1:], func(list []starknet.Felt) bool { return len(list) > 0 })
}

// argument is the argument of the values of one position.
func (f *Filter) argument(position int) domain.Argument {
	if position == 0 && f.FirstArgument != "" {
		return f.FirstArgument
	}
	return topic(position)
}

// keyArgument is the argument of the first populated position after topic0.
func (f *Filter) keyArgument() domain.Argument {
	if f.KeyArgument != "" {
		return f.KeyArgument
	}
	return topic(1 + slices.IndexFunc(f.Topics[1:], func(list []starknet.Felt) bool { return len(list) > 0 }))
}

// isWide reports whether the explicit bounds hold more blocks than a search
// reads directly.
func (f *Filter) isWide() bool {
	return f.From != nil && f.To != nil && *f.To-*f.From >= MaxBlocks
}

// normal returns the filter with each value once.
func (f Filter) normal() Filter {
	f.Addresses = distinct(f.Addresses)
	for i := range f.Topics {
		f.Topics[i] = distinct(f.Topics[i])
	}
	return f
}

func distinct(list []starknet.Felt) []starknet.Felt {
	list = slices.Clone(list)
	slices.SortFunc(list, starknet.Felt.Cmp)
	return slices.Compact(list)
}

// The arguments of a filter in messages.
const (
	fromBlock domain.Argument = "fromBlock"
	toBlock   domain.Argument = "toBlock"
	emitters  domain.Argument = "address"
	selectors domain.Argument = "selectors" // of a contract's events
)

func topic(position int) domain.Argument {
	return domain.Argument("topic" + strconv.Itoa(position))
}

func refuse(format string, args ...any) error {
	return domain.Errorf(domain.CodeInvalidRequest, format, args...)
}
