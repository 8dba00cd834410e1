package onchain_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// BenchmarkReads measures the reads behind most requests, from the repository
// to Postgres and back.
func BenchmarkReads(b *testing.B) {
	db, blocks := repotest.OpenTemplate(b, repotest.Followed), repotest.Everyday(b)
	hash, tx := &blocks[30].Header.Hash, blocks[30].Transactions[0].Hash
	ref := domain.BlockRef{Number: 30, Hash: *hash}
	for _, read := range []struct {
		name string
		run  func() error
	}{
		{"block by hash", func() error {
			_, err := onchain.NewBlocks(db).Headers(b.Context(), domain.Mainnet, []chain.BlockID{{Hash: hash}})
			return err
		}},
		{"page of 25 blocks", func() error {
			_, err := onchain.NewBlocks(db).HeadersBetween(b.Context(), domain.Mainnet, chain.BlockRange{To: 60}, false, 25)
			return err
		}},
		{"transaction by hash", func() error {
			_, err := onchain.NewTransactions(db).TransactionsByHash(b.Context(), domain.Mainnet, []starknet.Felt{tx})
			return err
		}},
		{"transactions of a block", func() error {
			_, _, err := onchain.NewTransactions(db).TransactionsOfBlocks(b.Context(), domain.Mainnet, []domain.BlockRef{ref}, -1, 25)
			return err
		}},
		{"page of 25 messages", func() error {
			_, err := onchain.NewMessages(db).Messages(b.Context(), domain.Mainnet, chain.MessageFilter{}, domain.PageRequest{Limit: 25})
			return err
		}},
	} {
		b.Run(read.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
