package index_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// ways are different ways to build the same index: with partitions that are loaded
// first, with partitions that are ready from the start, with both, and in batches
// of all sizes.
var ways = map[string]func(*repotest.Index, []facts.Block){
	"loaded": func(i *repotest.Index, blocks []facts.Block) {
		i.Load(blocks[:25])
		i.Load(blocks[25:])
	},
	"ready": func(i *repotest.Index, blocks []facts.Block) {
		i.Commit(i.Open(0, 1000, indexing.RangeReady), blocks)
	},
	"still loading": func(i *repotest.Index, blocks []facts.Block) {
		i.Load(blocks[:25])
		i.Commit(i.Open(25, 0, indexing.RangeLoading), blocks[25:])
	},
	"in parts": func(i *repotest.Index, blocks []facts.Block) {
		i.Load(blocks[:40])
		i.Commit(i.Open(40, 50, indexing.RangeReady), blocks[40:50])
		i.Commit(i.Open(50, 1000, indexing.RangeReady), blocks[50:])
	},
	"undone and made again": func(i *repotest.Index, blocks []facts.Block) {
		i.Load(blocks[:25])
		tip := i.Open(25, 1000, indexing.RangeReady)
		i.Commit(tip, blocks[25:])
		i.Undo(&blocks[40].Header)
		i.Commit(tip, blocks[41:])
		i.Undo(&blocks[10].Header)
		i.Commit(indexing.Range{From: 0, To: 25, State: indexing.RangeReady}, blocks[11:25])
		i.Commit(i.Open(25, 1000, indexing.RangeReady), blocks[25:])
	},
}

// withImplementations gives some blocks implementations of all kinds.
func withImplementations(blocks []facts.Block) []facts.Block {
	blocks = slices.Clone(blocks)
	deployed := blocks[0].Changes
	for i := 5; i < len(blocks); i += 9 {
		blocks[i].Implementations = []facts.Implementation{
			{Address: deployed[1].Address, Origin: facts.Observed, Family: facts.StarkGateAddress, Executed: facts.Executed{Contract: &deployed[0].Address}},
			{Address: deployed[1].Address, Origin: facts.Replaced, Family: facts.StarkGateAddress},
			{Address: deployed[1].Address, Origin: facts.Replaced, Family: facts.WalletProxy, Executed: facts.Executed{Class: &deployed[0].Class}},
		}
	}
	return blocks
}

func TestStoredReturnsExactlyWhatWasCommitted(t *testing.T) {
	t.Parallel()
	blocks := withImplementations(repotest.Everyday(t))
	want := asStored(blocks)
	for _, table := range facts.Tables {
		if !slices.ContainsFunc(want, func(b facts.Block) bool {
			_, differ := facts.FirstDifference(&b, &facts.Block{Header: b.Header}, table)
			return differ || table == facts.TableBlocks
		}) {
			t.Errorf("got no block with a row in %s, want some", table)
		}
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := repotest.Open(t)
			write(t, db, 7, blocks, way)
			got := stored(t, db, 0, 1000)
			if len(got) != len(want) {
				t.Fatalf("got %d blocks, want %d", len(got), len(want))
			}
			for i := range want {
				if difference, differ := facts.FirstDifference(&got[i], &want[i]); differ {
					t.Fatalf("got %s, want no difference", difference)
				}
				if g, w := normal(got[i]), normal(want[i]); !reflect.DeepEqual(g, w) {
					t.Fatalf("block %d: got\n%+v\nwant\n%+v", i, g, w)
				}
			}
			if part := stored(t, db, 20, 30); len(part) != 11 || part[0].Header.Number != 20 {
				t.Errorf("blocks 20 to 30 are %d from %d, want 11 from 20", len(part), part[0].Header.Number)
			}
		})
	}
}

func TestEveryWayToTheSameIndexHasTheSameDigest(t *testing.T) {
	t.Parallel()
	blocks := withImplementations(repotest.Everyday(t))
	var fold facts.Fold
	for _, block := range asStored(blocks) {
		fold.Add(&block)
	}
	want := fold.Sum().String()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, batch := range []int{1, 60} {
				db := repotest.Open(t)
				write(t, db, batch, blocks, way)
				if got, err := index.NewArchive(db).Digest(t.Context(), domain.Mainnet); err != nil || got != want {
					t.Errorf("%s, %v; want %s", got, err, want)
				}
			}
		})
	}
}

func write(t *testing.T, db *repo.DB, batch int, blocks []facts.Block, way func(*repotest.Index, []facts.Block)) {
	t.Helper()
	i := repotest.NewIndex(t.Context(), db, 0, batch)
	if way(i, blocks); i.Err() != nil {
		t.Fatal(i.Err())
	}
}

func stored(t *testing.T, db *repo.DB, from, to uint64) (blocks []facts.Block) {
	t.Helper()
	for block, err := range index.NewArchive(db).Stored(t.Context(), domain.Mainnet, from, to) {
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// asStored keeps only the tokens of each block that appear in no earlier block.
func asStored(blocks []facts.Block) []facts.Block {
	blocks = slices.Clone(blocks)
	shown := map[starknet.Felt]bool{}
	for i := range blocks {
		blocks[i].Tokens = slices.DeleteFunc(slices.Clone(blocks[i].Tokens), func(token facts.Token) bool {
			known := shown[token.Address]
			shown[token.Address] = true
			return known
		})
	}
	return blocks
}

// normal makes blocks comparable: empty lists become nil, and classes are
// removed, because they differ in the compiled ABI.
func normal(b facts.Block) facts.Block {
	b.Classes = nil
	v := reflect.ValueOf(&b).Elem()
	normalise(v)
	return b
}

func normalise(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			normalise(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		v.Set(copied)
		for i := range v.Len() {
			normalise(v.Index(i))
		}
	}
}

func TestTheDigestOfAnEmptyIndexIsThatOfNoBlocks(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	got, err := index.NewArchive(db).Digest(t.Context(), domain.Sepolia)
	if want := new(facts.Fold).Sum().String(); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestABeginningIndexRecordsTheVersionsOfItsDerivers(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	if err := repotest.NewIndex(t.Context(), db, 0, 1).Err(); err != nil {
		t.Fatal(err)
	}
	versions, err := index.NewCheckpoints(db).DeriverVersions(t.Context(), domain.Mainnet)
	if err != nil || !maps.Equal(versions, facts.Versions) {
		t.Errorf("%v, %v, want %v", versions, err, facts.Versions)
	}
}

// TestDamageIsReportedWithItsBlock plants invalid values.
func TestDamageIsReportedWithItsBlock(t *testing.T) {
	t.Parallel()
	for table, statement := range map[facts.Table]string{
		facts.TableBlocks:        `UPDATE blocks SET prices = substr(prices, 1, 160) WHERE block = 33`,
		facts.TableTransactions:  `UPDATE transactions SET hash = decode(repeat('ff', 32), 'hex') WHERE block = 33 AND tx = 0`,
		facts.TableEvents:        `UPDATE events SET payload = '\x00' WHERE block = 33`,
		facts.TableTransfers:     `UPDATE transfers SET amount = -1 WHERE block = 33`,
		facts.TableActivity:      `UPDATE activity SET address = address + 1000000 WHERE block = 33`,
		facts.TablePrivacyEvents: `UPDATE privacy_events SET variant = 99, block = 33 WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events LIMIT 1)`,
		facts.TableTokens:        `UPDATE tokens SET standard = 99, block = 33 WHERE chain = 1`,
		facts.TableDeclarations:  `UPDATE declarations SET class = 1000000, block = 33 WHERE chain = 1 AND (class, block) = (SELECT class, block FROM declarations WHERE chain = 1 LIMIT 1)`,
		facts.TableChanges:       `UPDATE contract_classes SET origin = 77, block = 33 WHERE chain = 1 AND (address, block) = (SELECT address, block FROM contract_classes WHERE chain = 1 ORDER BY block, address LIMIT 1)`,
	} {
		t.Run(string(table), func(t *testing.T) {
			t.Parallel()
			db := repotest.OpenTemplate(t, repotest.Followed)
			result, err := db.Write().NewRaw(statement).Exec(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				t.Fatalf("%d rows are damaged, %v, want some", n, err)
			}
			var found *indexing.DamageError
			for _, err := range index.NewArchive(db).Stored(t.Context(), domain.Mainnet, 0, 1000) {
				if err != nil && !errors.As(err, &found) {
					t.Fatal(err)
				}
			}
			if found == nil || found.Table != table || found.Block == nil || *found.Block != 33 {
				t.Errorf("found %v, want block 33 of %s", found, table)
			}
		})
	}
}
