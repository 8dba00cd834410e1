package address_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/addresses"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// ledger is everything that blocks say of addresses, told without a database.
type ledger struct {
	blocks    []facts.Block
	addresses []starknet.Felt
	items     map[starknet.Felt][]happening
	txs       map[starknet.Felt][]chain.TxPlace
}

// happening is an item of activity as a plain value.
type happening struct {
	Block               uint64
	Tx                  int
	Kind                address.Kind
	Log, Index          int
	Hash                starknet.Felt
	Time                int64
	Counterparty, Token string
	Amount, TokenID     string
	step                int
}

func newLedger(blocks []facts.Block) *ledger {
	l := &ledger{blocks: blocks, items: map[starknet.Felt][]happening{}, txs: map[starknet.Felt][]chain.TxPlace{}}
	for i := len(blocks) - 1; i >= 0; i-- {
		for tx := len(blocks[i].Transactions) - 1; tx >= 0; tx-- {
			l.tell(&blocks[i], tx)
		}
	}
	l.addresses = slices.SortedFunc(maps.Keys(l.items), starknet.Felt.Cmp)
	return l
}

// tell notes what one transaction means, later ones having been told before.
func (l *ledger) tell(b *facts.Block, tx int) {
	t := &b.Transactions[tx]
	found := map[starknet.Felt][]happening{}
	note := func(owner starknet.Felt, h happening, side *starknet.Felt) {
		if owner.IsZero() {
			return
		}
		h.Block, h.Tx, h.Hash, h.Time = b.Header.Number, tx, t.Hash, int64(b.Header.Timestamp)
		if side != nil && *side != owner {
			h.Counterparty = side.String()
		}
		found[owner] = append(found[owner], h)
	}
	var first *starknet.Felt
	called := map[starknet.Felt]bool{}
	if t.Contract != nil {
		first = t.Contract
		if t.Type == starknet.L1Handler || t.Type == starknet.Invoke {
			called[*t.Contract] = true
		}
	}
	calls, _ := facts.Calls(t)
	for i, call := range calls {
		if i == 0 {
			first = &call.To
		}
		if call.To != *t.Sender {
			called[call.To] = true
		}
	}
	if t.Sender != nil {
		note(*t.Sender, happening{Kind: "tx_sent", step: 0}, first)
	}
	for contract := range called {
		note(contract, happening{Kind: "tx_received", step: 1}, t.Sender)
	}
	for _, d := range b.Deployments {
		if d.TxIndex != nil && *d.TxIndex == tx {
			note(d.Address, happening{Kind: "deployed", step: 2}, d.Deployer)
		}
	}
	for _, a := range b.Activity {
		if a.TxIndex == tx && a.Kinds&facts.ContractUpgraded != 0 {
			note(a.Address, happening{Kind: "upgraded", step: 3}, nil)
		}
	}
	for _, m := range b.Transfers {
		if m.TxIndex != tx {
			continue
		}
		h := happening{step: 4, Log: m.LogIndex, Index: m.Index, Token: m.Token.String()}
		if m.Amount != nil {
			h.Amount = m.Amount.String()
		}
		if m.TokenID != nil {
			h.TokenID = m.TokenID.String()
		}
		switch m.From {
		case m.To:
			h.Kind = "transfer_self"
			note(m.From, h, nil)
		default:
			h.Kind = "transfer_out"
			note(m.From, h, &m.To)
			h.Kind = "transfer_in"
			note(m.To, h, &m.From)
		}
	}
	for owner, list := range found {
		slices.SortStableFunc(list, func(a, b happening) int {
			if a.step != b.step {
				return b.step - a.step
			}
			if a.Log != b.Log {
				return b.Log - a.Log
			}
			return b.Index - a.Index
		})
		l.items[owner] = append(l.items[owner], list...)
		l.txs[owner] = append(l.txs[owner], chain.TxPlace{Block: b.Header.Number, Tx: tx})
	}
}

// plain makes an item comparable.
func plain(i address.Item) happening {
	h := happening{
		Block: i.Block, Tx: i.Tx, Kind: i.Kind, Log: i.LogIndex, Index: i.Index, Hash: i.TxHash, Time: i.Timestamp.Unix(), step: int(i.Step),
	}
	for _, part := range []struct {
		to   *string
		felt *starknet.Felt
	}{{&h.Counterparty, i.Counterparty}, {&h.Token, i.Token}} {
		if part.felt != nil {
			*part.to = part.felt.String()
		}
	}
	for _, part := range []struct {
		to     *string
		amount *domain.Amount
	}{{&h.Amount, i.Amount}, {&h.TokenID, i.TokenID}} {
		if part.amount != nil {
			*part.to = part.amount.String()
		}
	}
	return h
}

// guide asks the services over a database.
type guide struct {
	*testing.T
	db        *repo.DB
	addresses *address.Addresses
	labels    *address.Labels
}

func newGuide(t *testing.T, db *repo.DB) *guide {
	t.Helper()
	labels := address.NewLabels(addresses.NewLabels(db), time.Now)
	implementations := chain.NewImplementations(onchain.NewImplementations(db), chain.NewCompiledClasses(index.NewArchive(db)))
	return &guide{t, db, address.NewAddresses(addresses.NewAddresses(db), tokens.NewTransfers(db), implementations, chain.NewStatuses(onchain.NewHeads(db), 0), labels), labels}
}

// followed is a guide to the everyday chain.
func followed(t *testing.T) (*guide, *ledger) {
	t.Helper()
	return newGuide(t, repotest.OpenTemplate(t, repotest.Followed)), newLedger(repotest.Everyday(t))
}

// walk reads all pages of a list of one address.
func walk[T any](t *testing.T, limit int, read func(domain.PageRequest) ([]domain.Page[T], error)) (all []T) {
	t.Helper()
	request := domain.PageRequest{Limit: limit}
	for {
		pages, err := read(request)
		if err != nil {
			t.Fatal(err)
		}
		if len(pages) != 1 || len(pages[0].Items) > limit || pages[0].Next != nil && len(pages[0].Items) < limit {
			t.Fatalf("got %d pages, the first with %d items, want one page, full at %d unless it is the last", len(pages), len(pages[0].Items), limit)
		}
		all = append(all, pages[0].Items...)
		if request.After = pages[0].Next; request.After == nil {
			return all
		}
	}
}

func (g *guide) activity(owner starknet.Felt, limit int) (list []happening) {
	g.Helper()
	for _, item := range walk(g.T, limit, func(page domain.PageRequest) ([]domain.Page[address.Item], error) {
		return g.addresses.Activity(g.Context(), domain.Mainnet, []starknet.Felt{owner}, page)
	}) {
		list = append(list, plain(item))
	}
	return list
}
