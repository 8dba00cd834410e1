package index

import (
	"context"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

const (
	uint256ABI = `{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","type":"felt","offset":0},{"name":"high","type":"felt","offset":1}]}`
	proxyABI   = `[{"type":"function","name":"__default__","inputs":[],"outputs":[]}]`
	erc20ABI   = `[` + uint256ABI + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"value","type":"Uint256"}]}]`
	erc721ABI  = `[` + uint256ABI + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"tokenId","type":"Uint256"}]}]`
)

// handNode is a node whose state is written by hand: the same before every
// block.
type handNode struct {
	Node
	classes   map[starknet.Felt]string // ABIs of Cairo 0 classes
	contracts map[starknet.Felt]starknet.Felt
	storage   map[[2]starknet.Felt]starknet.Felt
	reads     int // of storage
}

func (n *handNode) Class(_ context.Context, _, hash starknet.Felt) (starknet.Class, error) {
	text, known := n.classes[hash]
	if !known {
		return starknet.Class{}, chain.ErrNoClass
	}
	return starknet.Class{Deprecated: &starknet.DeprecatedClass{ABI: []byte(text)}}, nil
}

func (n *handNode) ClassHashAt(_ context.Context, _, contract starknet.Felt) (starknet.Felt, bool, error) {
	class, exists := n.contracts[contract]
	return class, exists, nil
}

func (n *handNode) StorageAt(_ context.Context, _, contract, slot starknet.Felt) (starknet.Felt, error) {
	n.reads++
	return n.storage[[2]starknet.Felt{contract, slot}], nil
}

// handIndex is the stored rows of the blocks that were committed.
type handIndex struct {
	classes         map[starknet.Felt]*facts.Class
	histories       map[starknet.Felt]facts.ClassHistory
	implementations map[starknet.Felt]facts.ImplementationHistory
}

func (h handIndex) Classes(context.Context, domain.Chain, []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	return h.classes, nil
}

func (h handIndex) ClassHistories(context.Context, domain.Chain, []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error) {
	return h.histories, nil
}

func (h handIndex) PrivacyPools(context.Context, domain.Chain) ([]starknet.Felt, error) {
	return nil, nil
}

func (h handIndex) ImplementationHistories(context.Context, domain.Chain, []starknet.Felt) (map[starknet.Felt]facts.ImplementationHistory, error) {
	return h.implementations, nil
}

func (h handIndex) commit(b *facts.Block) {
	for _, class := range b.Classes {
		h.classes[class.Hash] = class
	}
	for _, c := range b.Changes {
		h.histories[c.Address] = append(h.histories[c.Address], facts.ClassSince{Block: b.Header.Number, Origin: c.Origin, Class: c.Class})
	}
	for _, m := range b.Implementations {
		h.implementations[m.Address] = append(h.implementations[m.Address], facts.ImplementationSince{Block: b.Header.Number, Origin: m.Origin, Family: m.Family, Executed: m.Executed})
	}
}

// A chain of blocks in which one contract emits an old Transfer per block.
type handChain struct {
	*testing.T
	*turns
	node  *handNode
	index handIndex
	next  uint64
}

var (
	proxyClass, erc20Class, erc721Class = starknet.FeltFromUint64(0x71), starknet.FeltFromUint64(0x20), starknet.FeltFromUint64(0x721)
	proxied, library                    = starknet.FeltFromUint64(0xc0), starknet.FeltFromUint64(0xc1)
)

func newHandChain(t *testing.T) *handChain {
	c := &handChain{
		T:     t,
		node:  &handNode{classes: map[starknet.Felt]string{proxyClass: proxyABI, erc20Class: erc20ABI, erc721Class: erc721ABI}, contracts: map[starknet.Felt]starknet.Felt{}, storage: map[[2]starknet.Felt]starknet.Felt{}},
		index: handIndex{map[starknet.Felt]*facts.Class{}, map[starknet.Felt]facts.ClassHistory{}, map[starknet.Felt]facts.ImplementationHistory{}},
		next:  100,
	}
	c.turns = &turns{Loop: &Loop{Chain: domain.Mainnet, Node: c.node, Classes: c.index}, memory: newMemory(), at: indexing.Checkpoint{First: 100}}
	c.Sizes.Fetchers = 1
	return c
}

// block derives and commits the next block.
func (c *handChain) block(diff starknet.StateDiff) facts.Block {
	c.Helper()
	block := &starknet.BlockWithReceipts{BlockHeader: starknet.BlockHeader{BlockHash: starknet.FeltFromUint64(c.next)}}
	block.BlockNumber = c.next
	block.Transactions = make([]starknet.TransactionWithReceipt, 1)
	block.Transactions[0].Receipt.Events = []starknet.Event{{
		FromAddress: proxied, Keys: []starknet.Felt{starknet.Selector("Transfer")},
		Data: []starknet.Felt{starknet.FeltFromUint64(7), starknet.FeltFromUint64(8), starknet.FeltFromUint64(9), {}},
	}}
	derived, err := c.memory.facts(c.Context(), c.turns, fetched{block: block, update: &starknet.StateUpdate{BlockHash: block.BlockHash, StateDiff: diff}})
	if err != nil {
		c.Fatal(err)
	}
	c.index.commit(&derived)
	c.next++
	return derived
}

// restart forgets everything that is not committed.
func (c *handChain) restart() { c.memory = newMemory() }

func (c *handChain) want(when string, b facts.Block, standard facts.Standard) {
	c.Helper()
	var got facts.Standard
	for _, row := range b.Transfers {
		got = row.Standard
	}
	if got != standard || (len(b.Untyped) > 0) != (standard == "") {
		c.Errorf("%s: got a transfer of standard %q and the evidence %v, want %q", when, got, b.Untyped, standard)
	}
}

func slotWrite(family int, value starknet.Felt) starknet.StateDiff {
	return starknet.StateDiff{StorageDiffs: []starknet.StorageDiff{{
		Address: proxied, StorageEntries: []starknet.StorageEntry{{Key: facts.ProxyFamilies[family].Slot, Value: value}},
	}}}
}

func TestProxyOlderThanTheIndexIsReadFromTheNodeOnce(t *testing.T) {
	t.Parallel()
	c := newHandChain(t)
	c.node.contracts[proxied] = proxyClass
	c.node.storage[[2]starknet.Felt{proxied, facts.ProxyFamilies[2].Slot}] = erc20Class
	first := c.block(starknet.StateDiff{})
	c.want("first block", first, facts.ERC20)
	want := []facts.Implementation{{Address: proxied, Origin: facts.Observed, Family: facts.OpenZeppelinClass, Executed: facts.Executed{Class: &erc20Class}}}
	if diff := gocmp.Diff(want, first.Implementations); diff != "" {
		t.Errorf("implementations (-want +got):\n%s", diff)
	}
	if len(first.Classes) != 2 || len(first.Tokens) != 1 {
		t.Errorf("first block: got the classes %v and the tokens %v, want those of the proxy and its implementation, and one token", first.Classes, first.Tokens)
	}
	reads := c.node.reads
	c.want("next block", c.block(starknet.StateDiff{}), facts.ERC20)
	c.restart()
	c.want("after a restart", c.block(starknet.StateDiff{}), facts.ERC20)
	if c.node.reads != reads {
		t.Errorf("got %d reads of storage, want %d", c.node.reads, reads)
	}
}

func TestImplementationThatChangesInABlockIsUntypedThereUnlessBothAgree(t *testing.T) {
	t.Parallel()
	c := newHandChain(t)
	c.node.contracts[proxied] = proxyClass
	c.want("not set yet", c.block(starknet.StateDiff{}), "")
	c.want("set", c.block(slotWrite(1, erc20Class)), facts.ERC20)
	c.want("set again", c.block(slotWrite(1, erc20Class)), facts.ERC20)
	c.want("another standard", c.block(slotWrite(1, erc721Class)), "")
	c.want("after it", c.block(starknet.StateDiff{}), facts.ERC721)
	c.restart()
	c.want("after a restart", c.block(starknet.StateDiff{}), facts.ERC721)
	c.want("emptied", c.block(slotWrite(1, starknet.Felt{})), facts.ERC721)
	c.want("empty", c.block(starknet.StateDiff{}), "")
	c.want("set to no class", c.block(slotWrite(1, starknet.FeltFromUint64(99))), "")
}

func TestProxyIsDeployedAndSetUpInOneBlockAndReplacedByAPlainClassLater(t *testing.T) {
	t.Parallel()
	c := newHandChain(t)
	diff := slotWrite(2, erc20Class)
	diff.DeployedContracts = []starknet.DeployedContract{{Address: proxied, ClassHash: proxyClass}}
	c.want("deployed", c.block(diff), facts.ERC20)
	if c.node.reads != 0 {
		t.Errorf("new contract: got %d reads of storage, want 0", c.node.reads)
	}
	replaced := starknet.StateDiff{ReplacedClasses: []starknet.ReplacedClass{{ContractAddress: proxied, ClassHash: erc721Class}}}
	c.want("replaced", c.block(replaced), "")
	c.want("plain", c.block(starknet.StateDiff{}), facts.ERC721)
	replaced.ReplacedClasses[0].ClassHash = proxyClass
	c.want("a proxy again", c.block(replaced), "")
	c.want("with its old slot", c.block(starknet.StateDiff{}), facts.ERC20)
}

func TestImplementationThatIsAContractHasItsClassAtTheBlock(t *testing.T) {
	t.Parallel()
	c := newHandChain(t)
	c.node.contracts[proxied], c.node.contracts[library] = proxyClass, erc20Class
	c.node.storage[[2]starknet.Felt{proxied, facts.ProxyFamilies[0].Slot}] = library
	first := c.block(starknet.StateDiff{})
	c.want("observed", first, facts.ERC20)
	if !slices.ContainsFunc(first.Changes, func(change facts.ClassChange) bool {
		return change == facts.ClassChange{Address: library, Origin: facts.Observed, Class: erc20Class}
	}) {
		t.Errorf("got the changes %v, want the observed class of %s", first.Changes, library)
	}
	c.restart()
	replaced := starknet.StateDiff{ReplacedClasses: []starknet.ReplacedClass{{ContractAddress: library, ClassHash: erc721Class}}}
	c.want("the library is replaced", c.block(replaced), "")
	c.want("after it", c.block(starknet.StateDiff{}), facts.ERC721)
	c.restart()
	c.want("after a restart", c.block(starknet.StateDiff{}), facts.ERC721)
}

// brokenNode fails to read storage.
type brokenNode struct{ *handNode }

var errStorage = errors.New("no storage")

func (brokenNode) StorageAt(context.Context, starknet.Felt, starknet.Felt, starknet.Felt) (starknet.Felt, error) {
	return starknet.Felt{}, errStorage
}

func TestBlockWaitsForTheSlotsOfItsProxies(t *testing.T) {
	t.Parallel()
	c := newHandChain(t)
	c.node.contracts[proxied] = proxyClass
	c.Node = brokenNode{c.node}
	block := &starknet.BlockWithReceipts{Transactions: make([]starknet.TransactionWithReceipt, 1)}
	block.Transactions[0].Receipt.Events = []starknet.Event{{FromAddress: proxied, Keys: []starknet.Felt{starknet.Selector("Transfer")}}}
	if _, err := c.memory.facts(t.Context(), c.turns, fetched{block: block, update: &starknet.StateUpdate{}}); !errors.Is(err, errStorage) {
		t.Errorf("got %v, want %v", err, errStorage)
	}
}
