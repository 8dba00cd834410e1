package address_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// record says that the node's head is the last of the blocks.
func record(t *testing.T, db *repo.DB, last *facts.Header) {
	t.Helper()
	lease, _, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err == nil {
		err = index.NewWriter(db).RecordHead(t.Context(), lease, chain.Head{State: chain.Following, Depth: 20, Block: &domain.BlockRef{Number: last.Number, Hash: last.Hash}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// partial is an index of the everyday chain that begins with block 20.
func partial(t *testing.T) *repo.DB {
	t.Helper()
	blocks, db := repotest.Everyday(t), repotest.Open(t)
	blocks = slices.Clone(blocks)
	for i := range blocks[:20] { // classes that an index from block 20 on would find out by itself
		blocks[20].Classes = append(slices.Clone(blocks[20].Classes), blocks[i].Classes...)
	}
	index := repotest.NewIndex(t.Context(), db, 20, 50)
	index.Commit(index.Open(20, 1000, indexing.RangeReady), blocks[20:])
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	record(t, db, &blocks[len(blocks)-1].Header)
	return db
}

// facts of one address, told without a database.
type portrait struct {
	class    *facts.Class
	created  *facts.Deployment
	block    uint64
	received bool
	token    bool
	emitted  bool
	untyped  bool // it may be a party of an untyped transfer
	mayMove  bool // it emitted untyped transfers
}

func (p portrait) coverage() domain.Coverage {
	return domain.Coverage{Status: domain.CoverageExact}.Untyped(p.untyped)
}

func (l *ledger) portrait(owner starknet.Felt) (p portrait) {
	classes := map[starknet.Felt]*facts.Class{}
	for i := range l.blocks {
		b := &l.blocks[i]
		for _, class := range b.Classes {
			classes[class.Hash] = class
		}
		for _, change := range b.Changes {
			if change.Address == owner {
				p.class = classes[change.Class]
			}
		}
		for j := range b.Deployments {
			if b.Deployments[j].Address == owner {
				p.created, p.block = &b.Deployments[j], b.Header.Number
			}
		}
		for _, m := range b.Transfers {
			p.received = p.received || m.To == owner
		}
		for _, u := range b.Untyped {
			p.untyped = p.untyped || u.Address == owner && u.Role == facts.UntypedParty
			p.mayMove = p.mayMove || u.Address == owner && u.Role == facts.UntypedContract
		}
		for _, token := range b.Tokens {
			p.token = p.token || token.Address == owner
		}
		for _, e := range b.Events {
			p.emitted = p.emitted || e.FromAddress == owner
		}
	}
	return p
}

// everyone is every address that the blocks name, zero included.
func (l *ledger) everyone() []starknet.Felt {
	list := append(slices.Clone(l.addresses), starknet.Felt{})
	for i := range l.blocks {
		for _, change := range l.blocks[i].Changes {
			list = append(list, change.Address)
		}
		for _, e := range l.blocks[i].Events {
			list = append(list, e.FromAddress)
		}
	}
	slices.SortFunc(list, starknet.Felt.Cmp)
	return slices.Compact(list)
}

// counted is how many items a summary counts from a block on, and whether
// these are all of them: it looks at the newest 101 transactions.
func (l *ledger) counted(owner starknet.Felt, from uint64) (items int, all bool) {
	seen := map[chain.TxPlace]bool{}
	for _, item := range l.items[owner] {
		place := chain.TxPlace{Block: item.Block, Tx: item.Tx}
		switch {
		case item.Block < from:
			continue
		case !seen[place] && len(seen) == 101:
			return items, false
		}
		seen[place] = true
		items++
	}
	return items, len(seen) <= 100
}

func TestSummariesOfEveryAddressAreWhatBlocksSay(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	everyone := l.everyone()
	ctx, statements := telemetry.CountStatements(t.Context())
	got, err := g.addresses.Summaries(ctx, domain.Mainnet, everyone)
	if err != nil || len(got) != len(everyone) || statements.N() != 3 { // also the status and the evidence of untyped transfers
		t.Fatalf("got %d summaries in %d statements and %v, want %d in 3", len(got), statements.N(), err, len(everyone))
	}
	accounts, created, idle, busy := 0, 0, 0, 0
	for i, owner := range everyone {
		p := l.portrait(owner)
		items, all := l.counted(owner, 0)
		if !all {
			busy++
		}
		want := address.Summary{Address: owner, Found: true, ActivityCount: &items, CountExact: all && !p.untyped, Coverage: p.coverage()}
		if p.untyped && items == 0 {
			want.ActivityCount = nil
		}
		if owner.IsZero() { // whose activity is not kept
			want.ActivityCount, want.CountExact = nil, false
			want.Coverage = domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: address.ReasonZeroAddress}
		}
		if list := l.items[owner]; len(list) > 0 {
			want.LatestBlock = &list[0].Block
		} else {
			idle++
		}
		if p.class != nil {
			want.Class, want.Account = &p.class.Hash, &p.class.Account
			if p.class.Account {
				accounts++
			}
		}
		if p.created != nil {
			b := &l.blocks[p.block]
			want.CreatedAt, want.DeployedBy = new(time.Unix(int64(b.Header.Timestamp), 0).UTC()), p.created.Deployer
			if p.created.Deployer != nil && *p.created.Deployer == owner { // it deployed itself
				want.DeployedBy = nil
			}
			if p.created.TxIndex != nil {
				want.DeployedAtTx = &b.Transactions[*p.created.TxIndex].Hash
				created++
			}
		}
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("summary of %s (-want +got):\n%s", owner, cmp.Diff(want, got[i]))
		}
	}
	if accounts == 0 || created == 0 || idle == 0 || busy == 0 {
		t.Errorf("got %d accounts, %d created by a transaction, %d without activity and %d over the limit, want some of each", accounts, created, idle, busy)
	}
}

func TestUnknownAddressesAreNotFoundAndRepeatedOnesAreKept(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	unknown, known := starknet.FeltFromUint64(404), l.addresses[0]
	list := []starknet.Felt{unknown, known, known, unknown}
	summaries, err := g.addresses.Summaries(t.Context(), domain.Mainnet, list)
	if err != nil || !reflect.DeepEqual(summaries[0], address.Summary{Address: unknown, Coverage: domain.Coverage{Status: domain.CoverageExact}}) || !reflect.DeepEqual(summaries[3], summaries[0]) ||
		!summaries[1].Found || !reflect.DeepEqual(summaries[1], summaries[2]) {
		t.Errorf("got the summaries %+v and %v, want an empty one at both ends and the same one twice between", summaries, err)
	}
	profiles, err := g.addresses.Intelligence(t.Context(), domain.Mainnet, list)
	want := address.Intelligence{Address: unknown, Type: address.TypeUnknown, ReceivedFunds: new(bool), Coverage: domain.Coverage{Status: domain.CoverageExact}}
	if err != nil || !reflect.DeepEqual(profiles[0], want) || !reflect.DeepEqual(profiles[3], want) || !profiles[1].Found || !reflect.DeepEqual(profiles[1], profiles[2]) {
		t.Errorf("got the profiles %+v and %v, want an empty one at both ends and the same one twice between", profiles, err)
	}
	if none, err := g.addresses.Summaries(t.Context(), domain.Sepolia, list); err != nil || none[1].Found {
		t.Errorf("other chain: got %+v and %v, want nothing found", none, err)
	}
}

// TestAnInexactCountIsAPositiveLowerBoundOrUnknown reads an index that begins
// with block 20.
func TestAnInexactCountIsAPositiveLowerBoundOrUnknown(t *testing.T) {
	t.Parallel()
	g, l := newGuide(t, partial(t)), newLedger(repotest.Everyday(t))
	everyone := l.everyone()
	got, err := g.addresses.Summaries(t.Context(), domain.Mainnet, everyone)
	if err != nil {
		t.Fatal(err)
	}
	bounds, unknown := 0, 0
	for i, owner := range everyone {
		later, _ := l.counted(owner, 20)
		switch s := got[i]; {
		case s.CountExact:
			t.Errorf("%s: got an exact count, want an inexact one", owner)
		case later > 0:
			bounds++
			if s.ActivityCount == nil || *s.ActivityCount != later {
				t.Errorf("%s: got %v items after block 20, want %d", owner, s.ActivityCount, later)
			}
		default:
			unknown++
			if s.ActivityCount != nil {
				t.Errorf("%s: got a count of %d, want none", owner, *s.ActivityCount)
			}
		}
	}
	if bounds == 0 || unknown == 0 {
		t.Errorf("got %d lower bounds and %d unknown counts, want some of each", bounds, unknown)
	}
}

// TestCountingStopsAtItsLimit counts an address with more transactions than
// are counted, and one with just as many.
func TestCountingStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	busy, fair := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
	blocks := invent(21, 10, func(b *facts.Block, tx *facts.Transaction) {
		switch {
		case b.Header.Number >= 10 && b.Header.Number < 20:
			tx.Sender = &fair
		default:
			tx.Sender = &busy
		}
	})
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Commit(index.Open(0, 100, indexing.RangeReady), blocks)
	index.Release()
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	record(t, db, &blocks[20].Header)
	got, err := newGuide(t, db).addresses.Summaries(t.Context(), domain.Mainnet, []starknet.Felt{busy, fair})
	if err != nil || got[0].CountExact || *got[0].ActivityCount != 101 || *got[0].LatestBlock != 20 {
		t.Errorf("busy address: got %+v and %v, want an inexact count of 101 up to block 20", got[0], err)
	}
	if !got[1].CountExact || *got[1].ActivityCount != 100 {
		t.Errorf("fair address: got %+v, want an exact count of 100", got[1])
	}
}

func TestIntelligenceOfEveryAddressIsWhatBlocksSay(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	everyone := l.everyone()
	ctx, statements := telemetry.CountStatements(t.Context())
	got, err := g.addresses.Intelligence(ctx, domain.Mainnet, everyone)
	if err != nil || len(got) != len(everyone) || statements.N() != 4 {
		t.Fatalf("got %d profiles in %d statements and %v, want %d in 4", len(got), statements.N(), err, len(everyone))
	}
	labels, err := g.labels.Of(t.Context(), domain.Mainnet, everyone)
	if err != nil {
		t.Fatal(err)
	}
	types := map[address.Type]int{}
	for i, owner := range everyone {
		p := l.portrait(owner)
		want := address.Intelligence{
			Address: owner, Found: true, Label: labels[i], Type: address.TypeUnknown, Coverage: p.coverage(),
		}
		if p.received || !p.untyped {
			want.ReceivedFunds = &p.received
		}
		if p.class != nil {
			want.Deployed, want.Class, want.Type = true, &p.class.Hash, address.TypeContract
		}
		if p.token {
			want.Type = address.TypeToken
		}
		if p.class != nil && p.class.Account {
			want.Type = address.TypeAccount
		}
		if want.Type == address.TypeContract || want.Type == address.TypeUnknown {
			want.Coverage = want.Coverage.Untyped(p.mayMove) // it may be a token
		}
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("profile of %s (-want +got):\n%s", owner, cmp.Diff(want, got[i]))
		}
		types[got[i].Type]++
	}
	if len(types) != 4 {
		t.Errorf("got the types %v, want all 4", types)
	}
}

// TestProfilesIgnoreLoadingBlocks compares an index whose last
// blocks are being loaded with one that ends before them.
func TestProfilesIgnoreLoadingBlocks(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	short := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), short, 0, 50)
	index.Commit(index.Open(0, 1000, indexing.RangeReady), blocks[:45])
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	everyone := newLedger(blocks).everyone()
	var answers [2][]any
	for i, db := range []*repo.DB{short, repotest.OpenTemplate(t, repotest.Indexed)} {
		g := newGuide(t, db)
		summaries, err := g.addresses.Summaries(t.Context(), domain.Mainnet, everyone)
		if err != nil {
			t.Fatal(err)
		}
		profiles, err := g.addresses.Intelligence(t.Context(), domain.Mainnet, everyone)
		if err != nil {
			t.Fatal(err)
		}
		answers[i] = []any{summaries, profiles}
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		t.Errorf("summaries and profiles (-want as without the loading blocks +got with them):\n%s", cmp.Diff(answers[0], answers[1]))
	}
}
