package onchain_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// everyClass lists the classes that blocks refer to.
func everyClass(blocks []facts.Block) (classes []*facts.Class) {
	for _, block := range blocks {
		classes = append(classes, block.Classes...)
	}
	return classes
}

func classHashes(classes []*facts.Class) (hashes []starknet.Felt) {
	for _, class := range classes {
		hashes = append(hashes, class.Hash)
	}
	return hashes
}

func TestClassesAreThoseOfTheChain(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	classes := chain.NewClasses(onchain.NewClasses(repotest.OpenTemplate(t, repotest.Followed)))
	known := everyClass(blocks)
	hashes := append(classHashes(known), starknet.MustFelt("0xdead"), known[0].Hash)
	got, err := classes.Of(t.Context(), domain.Mainnet, hashes)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[starknet.Felt]*chain.ClassDeclaration{}
	for _, block := range blocks {
		for _, d := range block.Declarations {
			at := &chain.ClassDeclaration{Block: block.Header.Number, Compiled: d.Compiled}
			if d.TxIndex != nil {
				at.TxHash = &block.Transactions[*d.TxIndex].Hash
			}
			declared[d.Class] = at
		}
	}
	want := make([]*chain.Class, len(hashes))
	for i, class := range append(known, nil, known[0]) {
		if class != nil {
			want[i] = &chain.Class{
				Hash: class.Hash, Sierra: class.Sierra, Known: class.ABI != nil, Standard: class.Standard, Account: class.Account,
				Declaration: declared[class.Hash],
			}
		}
	}
	if difference := gocmp.Diff(want, got); difference != "" {
		t.Errorf("want -, got +\n%s", difference)
	}
	abis, err := classes.ABIs(t.Context(), domain.Mainnet, hashes)
	if err != nil {
		t.Fatal(err)
	}
	for i, class := range append(known, nil, known[0]) {
		if class == nil && abis[i] != nil || class != nil && !bytes.Equal(abis[i], class.ABI) {
			t.Errorf("%s: got the ABI %.100s, want that of the class", hashes[i], abis[i])
		}
	}
}

// TestAClassOfABlockThatReadersCannotSeeIsNotThere declares the pool's second
// class in a block of a partition that is still loading.
func TestAClassOfABlockThatReadersCannotSeeIsNotThere(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	hidden := everyClass(blocks)[len(everyClass(blocks[:40])):]
	if len(hidden) == 0 {
		t.Fatal("got no hidden class, want some")
	}
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 20)
	index.Commit(index.Open(0, 40, indexing.RangeReady), blocks[:40])
	index.Commit(index.Open(40, 0, indexing.RangeLoading), blocks[40:])
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	classes := chain.NewClasses(onchain.NewClasses(db))
	got, err := classes.Of(t.Context(), domain.Mainnet, classHashes(hidden))
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != nil {
			t.Errorf("got the hidden class %s, want none", got[i].Hash)
		}
	}
}

func TestTheContractsOfAClassArePagedOnceEach(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	want, newest := map[starknet.Felt][]chain.ClassUse{}, map[starknet.Felt]*chain.ClassUse{}
	for _, block := range blocks {
		for _, change := range block.Changes {
			want[change.Class] = append(want[change.Class], chain.ClassUse{Contract: change.Address, Block: block.Header.Number, Origin: change.Origin})
		}
	}
	for class := range want {
		slices.SortFunc(want[class], func(a, b chain.ClassUse) int {
			return cmp.Or(cmp.Compare(b.Block, a.Block), a.Contract.Cmp(b.Contract), cmp.Compare(a.Origin, b.Origin))
		})
		for i := range want[class] {
			use := &want[class][i]
			if last := newest[use.Contract]; last == nil || last.Block < use.Block || last.Block == use.Block && last.Origin < use.Origin {
				newest[use.Contract] = use
			}
		}
	}
	for _, use := range newest {
		use.Current = true
	}
	classes := chain.NewClasses(onchain.NewClasses(repotest.OpenTemplate(t, repotest.Followed)))
	hashes := classHashes(everyClass(blocks))
	for _, limit := range []int{1, 3, 100} {
		for _, hash := range hashes {
			var got []chain.ClassUse
			request := domain.PageRequest{Limit: limit}
			for {
				pages, err := classes.Uses(t.Context(), domain.Mainnet, []starknet.Felt{hash}, request)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, pages[0].Items...)
				if request.After = pages[0].Next; request.After == nil {
					break
				}
			}
			if difference := gocmp.Diff(want[hash], got); difference != "" {
				t.Errorf("%s by %d: want -, got +\n%s", hash, limit, difference)
			}
		}
	}
	pages, err := classes.Uses(t.Context(), domain.Mainnet, hashes, domain.PageRequest{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, hash := range hashes {
		if difference := gocmp.Diff(want[hash][:min(2, len(want[hash]))], pages[i].Items); difference != "" && len(want[hash]) > 0 {
			t.Errorf("%s among others: want -, got +\n%s", hash, difference)
		}
	}
}
