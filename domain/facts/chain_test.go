package facts

import (
	"encoding/json"
	"maps"
	"math/big"
	"strings"
	"testing"

	"astrolabe/sim"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

// history is a view that grows with the chain, block by block.
type history struct {
	classes       map[starknet.Felt]*Class // by hash
	before, after map[starknet.Felt]*Class // by address

	slotsBefore, slotsAfter map[starknet.Felt]Slots // of proxies, by address
}

func newHistory(tb testing.TB) *history {
	tb.Helper()
	h := &history{
		classes: map[starknet.Felt]*Class{}, before: map[starknet.Felt]*Class{}, after: map[starknet.Felt]*Class{},
		slotsBefore: map[starknet.Felt]Slots{}, slotsAfter: map[starknet.Felt]Slots{},
	}
	all, err := classes.Load()
	if err != nil {
		tb.Fatal(err)
	}
	for _, class := range all {
		var document starknet.Class
		if err := json.Unmarshal(class.Document, &document); err != nil {
			tb.Fatal(err)
		}
		h.classes[class.Hash] = NewClass(class.Hash, document)
	}
	return h
}

func (h *history) Runtime(address starknet.Felt) Runtime {
	before, after := h.before[address], h.after[address]
	if after == nil {
		after = before
	}
	runtime := Runtime{Before: before, After: after}
	runtime.Implement(h.slotsBefore[address], h.slotsAfter[address], func(hash starknet.Felt) *Class { return h.classes[hash] }, h.Runtime)
	return runtime
}

// HasClass implements Ledger.
func (h *history) HasClass(hash starknet.Felt) (bool, error) { return h.classes[hash] != nil, nil }

// HasContract implements Ledger.
func (h *history) HasContract(address starknet.Felt) (bool, error) {
	return h.Runtime(address).After != nil, nil
}

// advance moves to the next block, and returns its writes to proxy slots.
func (h *history) advance(tb testing.TB, diff *starknet.StateDiff) []Implementation {
	tb.Helper()
	h.advanceClasses(diff)
	maps.Copy(h.slotsBefore, h.slotsAfter)
	written, err := ResolveWrites(SlotWrites(diff), h)
	if err != nil {
		tb.Fatal(err)
	}
	for _, w := range written {
		h.slotsAfter[w.Address] = h.slotsAfter[w.Address].With(w.Family, w.Executed)
	}
	return written
}

// advanceClasses makes the class changes of the last block those that were before.
func (h *history) advanceClasses(diff *starknet.StateDiff) {
	for address, class := range h.after {
		h.before[address] = class
	}
	clear(h.after)
	for _, c := range diff.DeployedContracts {
		h.after[c.Address] = h.classes[c.ClassHash]
	}
	for _, c := range diff.ReplacedClasses {
		h.after[c.ContractAddress] = h.classes[c.ClassHash]
	}
}

// answer puts a simulated block into the form in which a node sends it.
func answer(b *sim.Block) *starknet.BlockWithReceipts {
	block := &starknet.BlockWithReceipts{BlockHeader: b.Header}
	for i := range b.Transactions {
		block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{Transaction: b.Transactions[i], Receipt: b.Receipts[i]})
	}
	return block
}

// deriveChain derives every block of a chain.
func deriveChain(tb testing.TB, n *sim.Node, visit func(*Block)) {
	tb.Helper()
	view := newHistory(tb)
	for number := range n.Head().Header.BlockNumber + 1 {
		block, err := n.Block(number)
		if err != nil {
			tb.Fatal(err)
		}
		written := view.advance(tb, &block.StateUpdate.StateDiff)
		derived, err := Derive(answer(block), &block.StateUpdate, Lookups{Implementations: written}, view)
		if err != nil {
			tb.Fatal(err)
		}
		visit(&derived)
	}
}

// holding is a token, its id where it has any, and who holds it.
type holding struct {
	token, id, owner starknet.Felt
}

// ledger is what transfers say of how much everybody holds.
type ledger map[Standard]map[holding]*big.Int

func (l ledger) book(transfer *Transfer) {
	entry, amount := holding{token: transfer.Token}, big.NewInt(1)
	if transfer.TokenID != nil {
		entry.id, _ = transfer.TokenID.Halves()
	}
	if transfer.Amount != nil {
		amount = transfer.Amount.Big()
	}
	if l[transfer.Standard] == nil {
		l[transfer.Standard] = map[holding]*big.Int{}
	}
	book := func(owner starknet.Felt, change *big.Int) {
		entry.owner = owner
		balance := l[transfer.Standard][entry]
		if balance == nil {
			balance = new(big.Int)
			l[transfer.Standard][entry] = balance
		}
		balance.Add(balance, change)
	}
	book(transfer.From, new(big.Int).Neg(amount))
	book(transfer.To, amount)
}

// held asks the node how much the ledger's owner holds.
func held(t *testing.T, n *sim.Node, class string, standard Standard, h holding) *big.Int {
	t.Helper()
	function, calldata := "balance_of", []starknet.Felt{h.owner}
	if strings.HasPrefix(class, "proxy_") {
		function = "balanceOf" // its only name in Cairo 0
	}
	switch standard {
	case ERC721:
		function, calldata = "ownerOf", []starknet.Felt{h.id, {}}
	case ERC1155:
		calldata = []starknet.Felt{h.owner, h.id, {}}
	}
	result, err := n.Call(n.Head().Header.BlockNumber, h.token, function, calldata...)
	if err != nil {
		t.Fatalf("%s of %s: %v", function, h.token, err)
	}
	if standard == ERC721 {
		if result[0] == h.owner {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	value, err := starknet.Uint256FromHalves(result[0], result[1])
	if err != nil {
		t.Fatal(err)
	}
	return value.Big()
}

func TestTransfersOfAChainReproduceItsBalances(t *testing.T) {
	t.Parallel()
	n, err := sim.New(sim.Config{Blocks: 150})
	if err != nil {
		t.Fatal(err)
	}
	books, kinds, evidence, tokens := ledger{}, Kinds(0), map[Evidence]int{}, map[starknet.Felt]Standard{}
	deriveChain(t, n, func(b *Block) {
		for i := range b.Transfers {
			books.book(&b.Transfers[i])
		}
		for _, a := range b.Activity {
			kinds |= a.Kinds
		}
		for _, d := range b.Deployments {
			evidence[d.Evidence]++
		}
		for _, token := range b.Tokens {
			tokens[token.Address] = token.Standard
		}
	})
	if kinds != TxSent|TxReceived|TransferIn|TransferOut|TransferSelf|ContractDeployed|ContractUpgraded {
		t.Errorf("got the kinds of activity %b, want all 7", kinds)
	}
	if evidence[FromStateDiff] == 0 || evidence[FromDeployerEvent] == 0 || evidence[FromTransaction] == 0 {
		t.Errorf("got the evidence %v, want some of each kind", evidence)
	}
	contracts := map[starknet.Felt]sim.Contract{}
	for _, contract := range n.Directory() {
		contracts[contract.Address] = contract
		if strings.HasPrefix(contract.Class, "proxy_") {
			if tokens[contract.Address] == "" {
				t.Errorf("%s: got no token, want that of its implementation", contract.Name)
			}
			continue
		}
		if want := simClass(t, contract.Class).Standard; tokens[contract.Address] != want {
			t.Errorf("%s: got a token of %q, want %q", contract.Name, tokens[contract.Address], want)
		}
	}
	checked := map[string]int{}
	for standard, book := range books {
		for h, balance := range book {
			contract, known := contracts[h.token]
			// The voting token also moves without saying so.
			if !known || h.owner.IsZero() || contract.Name == "vSTRK" || standard == ERC721 && balance.Sign() == 0 {
				continue
			}
			if got := held(t, n, contract.Class, standard, h); got.Cmp(balance) != 0 {
				t.Errorf("%s %s of %s: got %s by transfers, want the balance %s", contract.Name, h.id, h.owner, balance, got)
			}
			checked[contract.Class]++
		}
	}
	for _, class := range []string{"erc20_legacy", "erc20_keyed", "erc721_legacy", "erc721_keyed", "erc1155", "proxy_starkgate", "proxy_openzeppelin"} {
		if checked[class] == 0 {
			t.Errorf("%s: got no compared balance, want some", class)
		}
	}
}

func TestTheSameBlockGivesTheSameRows(t *testing.T) {
	t.Parallel()
	n, err := sim.New(sim.Config{Blocks: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	deriveChain(t, n, func(b *Block) { first = append(first, show(b)) })
	deriveChain(t, n, func(b *Block) {
		if show(b) != first[b.Header.Number] {
			t.Errorf("block %d: got\n%s\nwant\n%s", b.Header.Number, show(b), first[b.Header.Number])
		}
	})
}

func BenchmarkDerive(b *testing.B) {
	n, err := sim.New(sim.Config{Blocks: 12, Profile: sim.Bulk(2000)})
	if err != nil {
		b.Fatal(err)
	}
	view := newHistory(b)
	var block *starknet.BlockWithReceipts
	var update *starknet.StateUpdate
	for number := range n.Head().Header.BlockNumber + 1 {
		built, err := n.Block(number)
		if err != nil {
			b.Fatal(err)
		}
		view.advance(b, &built.StateUpdate.StateDiff)
		block, update = answer(built), &built.StateUpdate
	}
	var derived Block
	b.ReportAllocs()
	for b.Loop() {
		if derived, err = Derive(block, update, Lookups{}, view); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(derived.Events))/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(len(derived.Transactions)), "txs")
	b.ReportMetric(float64(len(derived.Transfers)), "transfers")
	b.ReportMetric(float64(len(derived.Activity)), "activity")
}
