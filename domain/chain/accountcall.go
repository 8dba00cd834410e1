package chain

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// AccountCall is a call of an account transaction, decoded as far as its ABI is
// known.
type AccountCall struct {
	facts.Call
	Name string // of the entry point; empty if no indexed class has it
	// Inputs is the calldata by the ABI of the class that was in force; nil when
	// there is none that the whole calldata fits.
	Inputs []abi.Field
}

// Calls returns the calls of each transaction in order, nil for transactions
// that are not an account's or whose calldata has an unknown layout. Calldata
// is decoded only with the class of the called contract at that block; if the
// class was replaced within the block, both classes must decode it alike.
func (s *Transactions) Calls(ctx context.Context, c domain.Chain, txs []*TxFacts) ([][]AccountCall, error) {
	calls := PrepareCalls(txs)
	if calls.Lookups.Empty() {
		return calls.lists, nil
	}
	answers, err := s.store.CallAnswers(ctx, c, calls.Lookups)
	if err != nil {
		return nil, err
	}
	return s.DecodeCalls(ctx, c, calls, answers)
}

// PreparedCalls are the calls of transactions, with the lookups needed to decode
// them.
type PreparedCalls struct {
	Lookups CallLookups

	txs   []*TxFacts
	lists [][]AccountCall
	named map[starknet.Felt]bool
	known map[contractAt]bool
}

// CallLookups are the lookups for decoding calls: classes of contracts at
// blocks, and names of selectors, without duplicates.
type CallLookups struct {
	Contracts []starknet.Felt
	Blocks    []uint64 // of the contracts, in their order
	Selectors []starknet.Felt
}

// Empty reports whether no lookup is needed.
func (q *CallLookups) Empty() bool { return len(q.Contracts) == 0 }

// CallAnswers are the answers, each in the order of the questions.
type CallAnswers struct {
	// Classes are the newest classes of a contract up to its block, enough to
	// know the class before and after the block.
	Classes []facts.ClassHistory
	// Names are those that classes have for a selector; empty where none is
	// known.
	Names []string
}

// contractAt is a contract at a block.
type contractAt struct {
	contract starknet.Felt
	block    uint64
}

// PrepareCalls reads the calls of transactions out of their calldata.
func PrepareCalls(txs []*TxFacts) *PreparedCalls {
	a := &PreparedCalls{txs: txs, lists: make([][]AccountCall, len(txs)), named: make(map[starknet.Felt]bool), known: make(map[contractAt]bool)}
	for i, tx := range txs {
		calls, ok := facts.Calls(&tx.Transaction)
		if !ok {
			continue
		}
		a.lists[i] = make([]AccountCall, len(calls))
		for j, call := range calls {
			a.lists[i][j].Call = call
			a.add(call, tx.Block.Number)
		}
	}
	return a
}

func (a *PreparedCalls) add(call facts.Call, block uint64) {
	q := &a.Lookups
	if !a.named[call.Selector] {
		a.named[call.Selector] = true
		q.Selectors = append(q.Selectors, call.Selector)
	}
	at := contractAt{call.To, block}
	if a.known[at] {
		return
	}
	a.known[at] = true
	q.Contracts, q.Blocks = append(q.Contracts, call.To), append(q.Blocks, block)
}

// DecodeCalls returns the calls of each transaction, decoded with the answers.
func (s *Transactions) DecodeCalls(ctx context.Context, c domain.Chain, a *PreparedCalls, answers CallAnswers) ([][]AccountCall, error) {
	runtimes, err := s.runtimes(ctx, c, a.Lookups, answers.Classes)
	if err != nil {
		return nil, err
	}
	names := make(map[starknet.Felt]string, len(answers.Names))
	keepNames(names, a.Lookups.Selectors, answers.Names)
	for i, tx := range a.txs {
		for j := range a.lists[i] {
			call := &a.lists[i][j]
			call.Name = names[call.Selector]
			call.Inputs = inputs(call.Call, runtimes[contractAt{call.To, tx.Block.Number}])
		}
	}
	return a.lists, nil
}

// runtimes returns the classes of the contracts around their blocks.
func (s *Transactions) runtimes(ctx context.Context, c domain.Chain, asked CallLookups, histories []facts.ClassHistory) (map[contractAt]facts.Runtime, error) {
	var hashes []starknet.Felt
	for i, history := range histories {
		before, after := history.Around(asked.Blocks[i])
		for _, hash := range [...]*starknet.Felt{before, after} {
			if hash != nil && !slices.Contains(hashes, *hash) {
				hashes = append(hashes, *hash)
			}
		}
	}
	classes, err := s.classes.Of(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	runtimes := make(map[contractAt]facts.Runtime, len(histories))
	for i, history := range histories {
		before, after := history.Around(asked.Blocks[i])
		runtime := facts.Runtime{}
		if before != nil {
			runtime.Before = classes[*before]
		}
		if after != nil {
			runtime.After = classes[*after]
		}
		runtimes[contractAt{asked.Contracts[i], asked.Blocks[i]}] = runtime
	}
	return runtimes, nil
}

// inputs types a call's calldata by the classes around its block.
func inputs(call facts.Call, runtime facts.Runtime) []abi.Field {
	before, after := runtime.Before, runtime.After
	if after == nil {
		after = before
	}
	fields := inputsOf(call, after)
	if before == nil || before.Hash == after.Hash || fields == nil {
		return fields
	}
	other := inputsOf(call, before)
	if other == nil || !slices.EqualFunc(fields, other, sameField) {
		return nil
	}
	return fields
}

func inputsOf(call facts.Call, class *facts.Class) []abi.Field {
	if class == nil || class.Schema() == nil {
		return nil
	}
	function := class.Schema().Function(call.Selector)
	if function == nil {
		return nil
	}
	fields, err := function.DecodeInputs(call.Calldata)
	if err != nil {
		return nil
	}
	if fields == nil {
		fields = []abi.Field{} // a function that takes nothing
	}
	return fields
}

// sameField reports whether two readings of a place are the same for every
// reader.
func sameField(a, b abi.Field) bool {
	return a.Label == b.Label && a.Type.Name == b.Type.Name && a.Start == b.Start && len(a.Raw) == len(b.Raw) && a.String() == b.String()
}
