package chain

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// AccountCall is one of the calls that an account was asked to make, with what is
// known of its meaning.
type AccountCall struct {
	facts.Call
	Name string // of the entry point; empty when no class says it
	// Inputs is the calldata by the ABI of the class that was in force; nil when
	// there is none that the whole calldata fits.
	Inputs []abi.Field
}

// Calls returns the calls of each transaction in their order, and nil where a
// transaction is not an account's or has a form of its own. Calldata is typed
// only by the class of the called contract that was in force at the block;
// where it was replaced within the block, both classes must read it alike.
func (s *Transactions) Calls(ctx context.Context, c domain.Chain, txs []*TxFacts) ([][]AccountCall, error) {
	lists := make([][]AccountCall, len(txs))
	var asked askedCalls
	for i, tx := range txs {
		calls, ok := facts.Calls(&tx.Transaction)
		if !ok {
			continue
		}
		lists[i] = make([]AccountCall, len(calls))
		for j, call := range calls {
			lists[i][j].Call = call
			asked.add(call, tx.Block.Number)
		}
	}
	if len(asked.contracts) == 0 {
		return lists, nil
	}
	runtimes, err := s.runtimes(ctx, c, &asked)
	if err != nil {
		return nil, err
	}
	names, err := s.Names(ctx, c, asked.selectors)
	if err != nil {
		return nil, err
	}
	for i, tx := range txs {
		for j := range lists[i] {
			call := &lists[i][j]
			call.Name = names[call.Selector]
			call.Inputs = inputs(call.Call, runtimes[contractAt{call.To, tx.Block.Number}])
		}
	}
	return lists, nil
}

// contractAt is a contract at a block.
type contractAt struct {
	contract starknet.Felt
	block    uint64
}

// askedCalls are the contracts at their blocks and the selectors that calls
// name, each once.
type askedCalls struct {
	contracts []starknet.Felt
	blocks    []uint64
	selectors []starknet.Felt
	known     map[contractAt]bool
}

func (a *askedCalls) add(call facts.Call, block uint64) {
	a.selectors = append(a.selectors, call.Selector)
	at := contractAt{call.To, block}
	if a.known[at] {
		return
	}
	if a.known == nil {
		a.known = make(map[contractAt]bool)
	}
	a.known[at] = true
	a.contracts, a.blocks = append(a.contracts, call.To), append(a.blocks, block)
}

// runtimes returns the classes of the contracts around their blocks.
func (s *Transactions) runtimes(ctx context.Context, c domain.Chain, asked *askedCalls) (map[contractAt]facts.Runtime, error) {
	histories, err := s.store.ClassesAround(ctx, c, asked.contracts, asked.blocks)
	if err != nil {
		return nil, err
	}
	var hashes []starknet.Felt
	for i, history := range histories {
		before, after := history.Around(asked.blocks[i])
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
		before, after := history.Around(asked.blocks[i])
		runtime := facts.Runtime{}
		if before != nil {
			runtime.Before = classes[*before]
		}
		if after != nil {
			runtime.After = classes[*after]
		}
		runtimes[contractAt{asked.contracts[i], asked.blocks[i]}] = runtime
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
