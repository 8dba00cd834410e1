package oracle

import (
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// change is a contract's class from a block on.
type change struct {
	block    *Block
	class    starknet.Felt
	deployed bool
}

// around returns the classes of a contract that may have been in force during a
// block: one, two if it was replaced there, none if it is unknown.
func (m *Model) around(contract starknet.Felt, b *Block) (hashes []starknet.Felt) {
	for _, c := range m.changes[contract] {
		switch {
		case c.block.BlockNumber < b.BlockNumber:
			hashes = []starknet.Felt{c.class}
		case c.block == b:
			hashes = append(hashes, c.class)
		}
	}
	if len(hashes) == 2 && hashes[0] == hashes[1] {
		hashes = hashes[:1]
	}
	return hashes
}

// has reports whether a class has one of the functions.
func has(schema *abi.Schema, names ...string) bool {
	for _, name := range names {
		if schema != nil && schema.Function(starknet.Selector(name)) != nil {
			return true
		}
	}
	return false
}

// standard is the token standard of a class; empty if it matches none or
// several.
func standard(schema *abi.Schema) string {
	if schema == nil {
		return ""
	}
	for _, l := range schema.Events() {
		if l.Name == "TransferSingle" || l.Name == "TransferBatch" {
			return "erc1155"
		}
	}
	owners, balances := has(schema, "owner_of", "ownerOf"), has(schema, "balance_of", "balanceOf")
	switch {
	case has(schema, "balance_of_batch", "balanceOfBatch"):
		return "erc1155"
	case owners && balances && has(schema, "transfer_from", "transferFrom") && !has(schema, "decimals"):
		return "erc721"
	case !owners && balances && has(schema, "transfer") && has(schema, "total_supply", "totalSupply"):
		return "erc20"
	}
	return ""
}

// isAccount reports whether a class is an account; nil if unknown.
func isAccount(schema *abi.Schema) any {
	if schema == nil {
		return nil
	}
	return has(schema, "__execute__") && has(schema, "__validate__", "is_valid_signature", "isValidSignature")
}

// isAccountAt reports whether a contract is an account, by its class or, if that
// is a proxy, by what it executes now; nil if unknown.
func (m *Model) isAccountAt(contract starknet.Felt) any {
	c := m.current(contract)
	if c == nil {
		return nil
	}
	own := isAccount(m.Classes[c.class])
	if own == true || !m.delegates(c.class) {
		return own
	}
	next := Block{}
	next.BlockNumber = m.head().BlockNumber + 1
	executed := m.executed(contract, c.class, &next)
	if len(executed) == 0 {
		return nil
	}
	return isAccount(m.Classes[executed[0]])
}

// current is a contract's newest change, or nil.
func (m *Model) current(contract starknet.Felt) *change {
	if all := m.changes[contract]; len(all) > 0 {
		return &all[len(all)-1]
	}
	return nil
}
