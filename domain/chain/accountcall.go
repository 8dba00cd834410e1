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
	// Inputs is the calldata by the ABI of the class that was in force, or of the
	// class that it executed as a proxy; nil when the whole calldata fits neither.
	Inputs []abi.Field
}

// Calls returns the calls of each transaction in order, nil for transactions
// that are not an account's or whose calldata has an unknown layout. Calldata
// is decoded only with the class of the called contract at that block and, if
// that is a proxy without the entry point, with the class that it executes. If
// either was replaced within the block, all must decode it alike.
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
	known map[ContractAt]bool
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

// PrepareCalls reads the calls of transactions out of their calldata.
func PrepareCalls(txs []*TxFacts) *PreparedCalls {
	a := &PreparedCalls{txs: txs, lists: make([][]AccountCall, len(txs)), named: make(map[starknet.Felt]bool), known: make(map[ContractAt]bool)}
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
	at := ContractAt{call.To, block}
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
			call.Inputs = inputs(call.Call, runtimes[ContractAt{call.To, tx.Block.Number}])
		}
	}
	return a.lists, nil
}

// runtimes returns what the contracts executed around their blocks.
func (s *Transactions) runtimes(ctx context.Context, c domain.Chain, asked CallLookups, histories []facts.ClassHistory) (map[ContractAt]facts.Runtime, error) {
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
	contracts, runtimes := make([]ContractAt, len(histories)), make([]facts.Runtime, len(histories))
	for i, history := range histories {
		contracts[i] = ContractAt{asked.Contracts[i], asked.Blocks[i]}
		before, after := history.Around(asked.Blocks[i])
		if before != nil {
			runtimes[i].Before = classes[*before]
		}
		if after != nil {
			runtimes[i].After = classes[*after]
		}
	}
	if err := s.implementations.Fill(ctx, c, contracts, runtimes); err != nil {
		return nil, err
	}
	found := make(map[ContractAt]facts.Runtime, len(contracts))
	for i, contract := range contracts {
		found[contract] = runtimes[i]
	}
	return found, nil
}

// inputs types a call's calldata by all that the contract may have executed in
// the block.
func inputs(call facts.Call, runtime facts.Runtime) []abi.Field {
	var buffer [4]facts.Code
	codes := runtime.Codes(buffer[:0])
	fields := inputsOf(call, codes[0])
	for _, code := range codes[1:] {
		if other := inputsOf(call, code); fields == nil || other == nil || !slices.EqualFunc(fields, other, sameField) {
			return nil
		}
	}
	return fields
}

// inputsOf types a call's calldata by the class, or by what it executes as a
// proxy if it does not have the entry point itself.
func inputsOf(call facts.Call, code facts.Code) []abi.Field {
	function := functionOf(code.Class, call.Selector)
	if function == nil {
		function = functionOf(code.Implementation, call.Selector)
	}
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

// functionOf returns an entry point of a class, nil if it has none such or no
// readable ABI.
func functionOf(class *facts.Class, selector starknet.Felt) *abi.Function {
	if class == nil || class.Schema() == nil {
		return nil
	}
	return class.Schema().Function(selector)
}

// sameField reports whether two readings of a place are the same for every
// reader.
func sameField(a, b abi.Field) bool {
	return a.Label == b.Label && a.Type.Name == b.Type.Name && a.Start == b.Start && len(a.Raw) == len(b.Raw) && a.String() == b.String()
}
