package sim

import (
	"math/big"
	"slices"
	"testing"

	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// retold is the state of the chain, derived from JSON-RPC responses only.
type retold struct {
	classes  map[starknet.Felt]starknet.Felt
	declared map[starknet.Felt]bool
	nonces   map[starknet.Felt]starknet.Felt
	storage  map[[2]starknet.Felt]starknet.Felt
	sent     map[starknet.Felt]uint64 // transactions by account
	balances map[[2]starknet.Felt]*big.Int
	supplies map[starknet.Felt]*big.Int
}

func newRetold() *retold {
	return &retold{
		map[starknet.Felt]starknet.Felt{}, map[starknet.Felt]bool{}, map[starknet.Felt]starknet.Felt{},
		map[[2]starknet.Felt]starknet.Felt{}, map[starknet.Felt]uint64{}, map[[2]starknet.Felt]*big.Int{}, map[starknet.Felt]*big.Int{},
	}
}

func (r *retold) diff(t *testing.T, d starknet.StateDiff) {
	declared := slices.Clone(d.DeprecatedDeclaredClasses)
	for _, c := range d.DeclaredClasses {
		declared = append(declared, c.ClassHash)
	}
	for _, class := range declared {
		if r.declared[class] {
			t.Errorf("class %s: got two declarations, want one", class)
		}
		r.declared[class] = true
	}
	for _, c := range d.DeployedContracts {
		if !r.classes[c.Address].IsZero() || !r.declared[c.ClassHash] {
			t.Errorf("contract %s: got class %s before it is deployed with %s, want none, and the new class declared", c.Address, r.classes[c.Address], c.ClassHash)
		}
		r.classes[c.Address] = c.ClassHash
	}
	for _, c := range d.ReplacedClasses {
		if r.classes[c.ContractAddress].IsZero() || r.classes[c.ContractAddress] == c.ClassHash || !r.declared[c.ClassHash] {
			t.Errorf("contract %s: got class %s replaced by %s, want another one that is declared", c.ContractAddress, r.classes[c.ContractAddress], c.ClassHash)
		}
		r.classes[c.ContractAddress] = c.ClassHash
	}
	for _, n := range d.Nonces {
		r.nonces[n.ContractAddress] = n.Nonce
	}
	for _, contract := range d.StorageDiffs {
		for _, e := range contract.StorageEntries {
			key := [2]starknet.Felt{contract.Address, e.Key}
			if r.storage[key] == e.Value {
				t.Errorf("cell %s of %s: got %s as before, want another value", e.Key, contract.Address, e.Value)
			}
			r.storage[key] = e.Value
		}
	}
}

// transfer applies an ERC-20 transfer of either layout to the balances.
func (r *retold) transfer(e starknet.Event) {
	var from, to, low, high starknet.Felt
	switch {
	case len(e.Keys) == 1 && len(e.Data) == 4:
		from, to, low, high = e.Data[0], e.Data[1], e.Data[2], e.Data[3]
	case len(e.Keys) == 3 && len(e.Data) == 2:
		from, to, low, high = e.Keys[1], e.Keys[2], e.Data[0], e.Data[1]
	default:
		return
	}
	value, err := starknet.Uint256FromHalves(low, high)
	if err != nil {
		return
	}
	r.book(e.FromAddress, from, new(big.Int).Neg(value.Big()))
	r.book(e.FromAddress, to, value.Big())
}

func (r *retold) book(token, owner starknet.Felt, amount *big.Int) {
	if r.supplies[token] == nil {
		r.supplies[token] = new(big.Int)
	}
	if owner.IsZero() {
		r.supplies[token].Sub(r.supplies[token], amount)
		return
	}
	key := [2]starknet.Felt{token, owner}
	if r.balances[key] == nil {
		r.balances[key] = new(big.Int)
	}
	r.balances[key].Add(r.balances[key], amount)
}

// readAlong reads a chain from its start over JSON-RPC and checks every link,
// hash and nonce.
func readAlong(t *testing.T, c client, chainID starknet.Felt) *retold {
	t.Helper()
	r := newRetold()
	var head uint64
	c.result(&head, "starknet_blockNumber")
	var parent starknet.BlockHeader
	for number := range head + 1 {
		var b starknet.BlockWithReceipts
		var u starknet.StateUpdate
		c.result(&b, "starknet_getBlockWithReceipts", at(number), []string{"INCLUDE_PROOF_FACTS"})
		c.result(&u, "starknet_getStateUpdate", at(number))
		got, err := commitment.Of(commitment.PoseidonL2Gas, &b, &u.StateDiff)
		if err != nil || got != commitment.Stated(&b.BlockHeader) {
			t.Fatalf("block %d: got commitments %+v, %v, want %+v", number, commitment.Stated(&b.BlockHeader), err, got)
		}
		hash, err := commitment.BlockHash(chainID, commitment.PoseidonL2Gas, &b.BlockHeader, got)
		if err != nil || hash != b.BlockHash || u.BlockHash != hash || u.NewRoot != b.NewRoot {
			t.Fatalf("block %d: got the hashes %s and %s and the root %s, want %s and %s (%v)", number, b.BlockHash, u.BlockHash, u.NewRoot, hash, b.NewRoot, err)
		}
		if number > 0 && (b.ParentHash != parent.BlockHash || u.OldRoot != parent.NewRoot || b.Timestamp <= parent.Timestamp) {
			t.Fatalf("block %d: got parent %s, root %s and time %d, want %s, %s and after %d", number, b.ParentHash, u.OldRoot, b.Timestamp, parent.BlockHash, parent.NewRoot, parent.Timestamp)
		}
		parent = b.BlockHeader
		r.diff(t, u.StateDiff)
		events := uint64(0)
		for i := range b.Transactions {
			r.transaction(t, chainID, &b.Transactions[i])
			events += uint64(len(b.Transactions[i].Receipt.Events))
		}
		if events != b.EventCount || uint64(len(b.Transactions)) != b.TransactionCount {
			t.Errorf("block %d: got %d events and %d transactions counted, want %d and %d", number, b.EventCount, b.TransactionCount, events, len(b.Transactions))
		}
	}
	return r
}

func (r *retold) transaction(t *testing.T, chainID starknet.Felt, pair *starknet.TransactionWithReceipt) {
	t.Helper()
	tx, receipt := &pair.Transaction, &pair.Receipt
	hash, err := tx.ComputeHash(chainID)
	if err != nil || hash != receipt.TransactionHash {
		t.Errorf("%s %s: got hash %s, want %s (%v)", tx.Type, tx.Version, receipt.TransactionHash, hash, err)
	}
	if sender, ok := tx.From(); ok {
		if nonce, _ := tx.Nonce.Uint64(); nonce != r.sent[sender] {
			t.Errorf("transaction of %s: got nonce %d, want %d", sender, nonce, r.sent[sender])
		}
		r.sent[sender]++
	}
	if message, ok := tx.L1Message(); ok && (receipt.MessageHash == nil || *receipt.MessageHash != message.Hash()) {
		t.Errorf("%s: got message hash %v, want %s", receipt.TransactionHash, receipt.MessageHash, message.Hash())
	}
	for _, e := range receipt.Events {
		if r.classes[e.FromAddress].IsZero() {
			t.Errorf("%s: got an event of %s, want one of a contract that exists", receipt.TransactionHash, e.FromAddress)
		}
		if len(e.Keys) > 0 && e.Keys[0] == starknet.Selector("Transfer") {
			r.transfer(e)
		}
	}
	if receipt.ExecutionStatus == starknet.Reverted && (receipt.RevertReason == "" || len(receipt.MessagesSent) > 0 || len(receipt.Events) > 1) {
		t.Errorf("%s is reverted: got reason %q, %d messages and %d events, want a reason, none and at most one", receipt.TransactionHash, receipt.RevertReason, len(receipt.MessagesSent), len(receipt.Events))
	}
}

// TestChainAgreesWithItself reads a chain as an indexer would and compares the
// derived state with the state that the node returns.
func TestChainAgreesWithItself(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	c := connect(t, n)
	r := readAlong(t, c, n.network.ID)
	for address, class := range r.classes {
		var answer starknet.Felt
		c.result(&answer, "starknet_getClassHashAt", "latest", address)
		if answer != class {
			t.Errorf("class of %s: got %s, want %s", address, answer, class)
		}
		c.result(&answer, "starknet_getNonce", "latest", address)
		if count, _ := answer.Uint64(); answer != r.nonces[address] || count != r.sent[address] {
			t.Errorf("nonce of %s: got %s, want %s", address, answer, r.nonces[address])
		}
	}
	checkedCells := 0
	for key, value := range r.storage {
		if checkedCells++; checkedCells > 400 {
			break
		}
		var answer starknet.Felt
		c.result(&answer, "starknet_getStorageAt", key[0], key[1], "latest")
		if answer != value {
			t.Errorf("cell %s of %s: got %s, want %s", key[1], key[0], answer, value)
		}
	}
	for _, contract := range n.Directory() {
		if contract.Class != "erc20_legacy" && contract.Class != "erc20_keyed" {
			continue
		}
		agrees := r.census(c, contract.Address)
		if want := contract.Name != "vSTRK"; agrees != want {
			t.Errorf("%s: got balances by events that agree with the state: %v, want %v", contract.Name, agrees, want)
		}
	}
}

// census reports whether balances and supply from events equal those of the
// state.
func (r *retold) census(c client, token starknet.Felt) bool {
	read := func(function string, calldata ...starknet.Felt) *big.Int {
		var felts []starknet.Felt
		c.result(&felts, "starknet_call", callOf(token, function, calldata...), "latest")
		value, err := starknet.Uint256FromHalves(felts[0], felts[1])
		if err != nil {
			c.t.Fatal(err)
		}
		return value.Big()
	}
	if r.supplies[token] == nil || read("totalSupply").Cmp(r.supplies[token]) != 0 {
		return false
	}
	sum := new(big.Int)
	for key, balance := range r.balances {
		if key[0] != token {
			continue
		}
		sum.Add(sum, balance)
		if balance.Sign() < 0 || read("balanceOf", key[1]).Cmp(balance) != 0 {
			return false
		}
	}
	return sum.Cmp(r.supplies[token]) == 0
}

// TestSameSeedGivesTheSameAnswers compares two nodes of one seed, and checks
// that the seed, the chain and the branch matter.
func TestSameSeedGivesTheSameAnswers(t *testing.T) {
	t.Parallel()
	build := func(seed uint64, chain string) *Node {
		n := testNode(t, Config{Blocks: 14, Seed: seed, Chain: chain})
		if err := n.Reorg(3); err != nil {
			t.Fatal(err)
		}
		return n
	}
	a, b := build(1, "SN_MAIN"), build(1, "SN_MAIN")
	first, second := connect(t, a), connect(t, b)
	for number := range uint64(15) {
		for _, method := range []string{"starknet_getBlockWithReceipts", "starknet_getStateUpdate", "starknet_traceBlockTransactions"} {
			x, y := first.call(method, at(number)), second.call(method, at(number))
			if x.Error != nil || string(x.Result) != string(y.Result) {
				t.Fatalf("%s of block %d: got\n%.300s\nwant\n%.300s", method, number, y.Result, x.Result)
			}
		}
	}
	for name, other := range map[string]*Node{"seed": build(2, "SN_MAIN"), "chain": build(1, "SN_SEPOLIA"), "branch": testNode(t, Config{Blocks: 14, Seed: 1})} {
		if other.Head().Header.BlockHash == a.Head().Header.BlockHash {
			t.Errorf("another %s: got block %s as without it, want another", name, other.Head().Header.BlockHash)
		}
	}
}
