package oracle

import (
	"fmt"
	"slices"

	"astrolabe/sim"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// Block is a block with its state update.
type Block struct {
	starknet.BlockWithReceipts
	Diff starknet.StateDiff
}

// Model computes responses from consecutive blocks, oldest first.
type Model struct {
	Chain  string
	Blocks []Block
	// Finalized and L1 are the newest finalized block and the newest block
	// accepted on L1; nil if there is none.
	Finalized, L1 *uint64
	// Classes are the compiled ABIs of the classes that the blocks name; a
	// class without a readable one is nil.
	Classes map[starknet.Felt]*abi.Schema
	// Read calls a view of a contract after a block by name; nil without a
	// node.
	Read func(block uint64, contract starknet.Felt, function string, calldata ...starknet.Felt) ([]starknet.Felt, error)
	// Depth is the number of blocks on top of a block that make it finalized.
	Depth uint64
	// Unverified is true if the index was made without verification.
	Unverified bool
	// Registry ships with the service; Notes are the labels of the operator.
	Registry Registry
	Notes    []Note
	// Verified are the newest verification records of classes.
	Verified map[starknet.Felt]map[string]any
	// Counted is true if supplies were read and transfers and holders were
	// counted at the newest finalized block.
	Counted bool
	// Certificates are the key positions that wide searches may use.
	Certificates []Certificate
	// Order is the order in which the service lists the tokens of an address.
	// It is arbitrary but stable.
	Order map[starknet.Felt][]starknet.Felt

	txs       []*tx // in order
	byBlock   map[uint64][]*tx
	changes   map[starknet.Felt][]change
	stored    map[starknet.Felt][]stored // of proxy slots
	cairo0    map[starknet.Felt]bool     // classes
	doubts    []doubt
	names     map[starknet.Felt]string // of entry points
	eventName map[starknet.Felt]string // of events; empty if there are several names
	standards map[starknet.Felt]string // of tokens
	called    map[starknet.Felt]description
}

// OfNode models a simulated chain up to its head; the newest depth blocks are
// not finalized.
func OfNode(node *sim.Node, depth uint64) (*Model, error) {
	head := node.Head().Header.BlockNumber
	m := &Model{Chain: node.Chain(), Classes: map[starknet.Felt]*abi.Schema{}, Read: node.Call, Depth: depth}
	schemas, err := ownSchemas()
	if err != nil {
		return nil, err
	}
	for number := range head + 1 {
		b, err := node.Block(number)
		if err != nil {
			return nil, err
		}
		block := Block{BlockWithReceipts: starknet.BlockWithReceipts{BlockHeader: b.Header}, Diff: b.StateUpdate.StateDiff}
		for i := range b.Transactions {
			block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{Transaction: b.Transactions[i], Receipt: b.Receipts[i]})
		}
		m.Blocks = append(m.Blocks, block)
		for _, f := range b.Foreign {
			schemas[f.Hash], _ = abi.Compile(f.Class.ABI())
		}
		for _, hash := range named(block.Diff) {
			if schema, ok := schemas[hash]; ok {
				m.Classes[hash] = schema
			}
		}
	}
	if head >= depth {
		m.Finalized = new(head - depth)
	}
	m.L1 = new(node.L1Head())
	m.derive()
	return m, nil
}

// Withhold makes a class unknown.
func (m *Model) Withhold(class starknet.Felt) {
	m.Classes[class], m.txs = nil, nil
	m.derive()
}

// ownSchemas are the ABIs of the simulator's own classes.
func ownSchemas() (map[starknet.Felt]*abi.Schema, error) {
	all, err := classes.Load()
	if err != nil {
		return nil, err
	}
	schemas := map[starknet.Felt]*abi.Schema{}
	for _, c := range all {
		if schemas[c.Hash], err = c.Schema(); err != nil {
			return nil, fmt.Errorf("class %s: %w", c.Name, err)
		}
	}
	return schemas, nil
}

// named lists the classes that a state difference names.
func named(d starknet.StateDiff) (list []starknet.Felt) {
	list = append(list, d.DeprecatedDeclaredClasses...)
	for _, c := range d.DeclaredClasses {
		list = append(list, c.ClassHash)
	}
	for _, c := range d.DeployedContracts {
		list = append(list, c.ClassHash)
	}
	for _, c := range d.ReplacedClasses {
		list = append(list, c.ClassHash)
	}
	return list
}

// derive computes what all answers are based on.
func (m *Model) derive() {
	m.changes, m.stored, m.cairo0, m.doubts = map[starknet.Felt][]change{}, map[starknet.Felt][]stored{}, map[starknet.Felt]bool{}, nil
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for _, hash := range b.Diff.DeprecatedDeclaredClasses {
			m.cairo0[hash] = true
		}
		for _, d := range b.Diff.StorageDiffs {
			for _, entry := range d.StorageEntries {
				if at := slices.IndexFunc(slots, func(s slot) bool { return s.key == entry.Key }); at >= 0 {
					m.stored[d.Address] = append(m.stored[d.Address], stored{b, at, entry.Value})
				}
			}
		}
		for _, c := range b.Diff.DeployedContracts {
			m.changes[c.Address] = append(m.changes[c.Address], change{b, c.ClassHash, true})
		}
		for _, c := range b.Diff.ReplacedClasses {
			m.changes[c.ContractAddress] = append(m.changes[c.ContractAddress], change{b, c.ClassHash, false})
		}
	}
	m.nameEntryPoints()
	m.byBlock = map[uint64][]*tx{}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for j := range b.Transactions {
			m.byBlock[b.BlockNumber] = append(m.byBlock[b.BlockNumber], m.transaction(b, j))
		}
		m.txs = append(m.txs, m.byBlock[b.BlockNumber]...)
	}
	m.nameTokens()
	m.Order = map[starknet.Felt][]starknet.Felt{}
}

func (m *Model) nameEntryPoints() {
	m.names, m.eventName = map[starknet.Felt]string{}, map[starknet.Felt]string{}
	for _, schema := range m.Classes {
		if schema == nil {
			continue
		}
		for _, l := range schema.Events() {
			if known, ok := m.eventName[l.Selectors[0]]; ok && known != l.Name {
				m.eventName[l.Selectors[0]] = ""
			} else {
				m.eventName[l.Selectors[0]] = l.Name
			}
		}
	}
	for i := range m.Blocks {
		for j := range m.Blocks[i].Transactions {
			tx := &m.Blocks[i].Transactions[j].Transaction
			selectors := []starknet.Felt{tx.EntryPointSelector}
			for _, c := range callsOf(tx) {
				selectors = append(selectors, c.selector)
			}
			for _, selector := range selectors {
				m.names[selector] = m.functionName(selector)
			}
		}
	}
}

// functionName is the name of a selector in any class.
func (m *Model) functionName(selector starknet.Felt) string {
	for _, schema := range m.Classes {
		if schema == nil {
			continue
		}
		if f := schema.Function(selector); f != nil {
			return f.Name
		}
		if f := schema.L1Handler(selector); f != nil {
			return f.Name
		}
	}
	return ""
}

func (m *Model) head() *Block { return &m.Blocks[len(m.Blocks)-1] }

func (m *Model) first() uint64 { return m.Blocks[0].BlockNumber }

// at returns a block by its number, or nil.
func (m *Model) at(number uint64) *Block {
	if number < m.first() || number > m.head().BlockNumber {
		return nil
	}
	return &m.Blocks[number-m.first()]
}

func (m *Model) finality(b *Block) string {
	if m.L1 != nil && b.BlockNumber <= *m.L1 {
		return "ACCEPTED_ON_L1"
	}
	return "ACCEPTED_ON_L2"
}

func (m *Model) tier(b *Block) string {
	if m.Finalized != nil && b.BlockNumber <= *m.Finalized {
		return "finalized"
	}
	return "head"
}

// newestFirst returns a list in reverse order.
func newestFirst[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
