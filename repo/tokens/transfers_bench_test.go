package tokens_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// BenchmarkPageOfTransfers reads the newest 25 transfers of the token and of
// the address that have the most.
func BenchmarkPageOfTransfers(b *testing.B) {
	db := repotest.OpenTemplate(b, repotest.Followed)
	transfers := tokens.NewTransfers(db)
	window := token.Window{Newest: 1000, Tx: 32768, Log: 32768, Index: 32768}
	tokens, addresses := map[starknet.Felt]int{}, map[starknet.Felt]int{}
	for _, block := range repotest.Everyday(b) {
		for _, t := range block.Transfers {
			tokens[t.Token]++
			addresses[t.To]++
		}
	}
	asked, party := busiest(tokens), busiest(addresses)
	for name, read := range map[string]func() ([][]token.Transfer, error){
		"token": func() ([][]token.Transfer, error) {
			return transfers.TransfersOfTokens(b.Context(), domain.Mainnet, asked, nil, window, 25)
		},
		"address": func() ([][]token.Transfer, error) {
			return transfers.TransfersOfAddresses(b.Context(), domain.Mainnet, party, nil, token.AnyDirection, window, 25)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if lists, err := read(); err != nil || len(lists[0]) < 25 {
					b.Fatalf("got %d rows and %v, want 25", len(lists[0]), err)
				}
			}
		})
	}
}

func busiest(counts map[starknet.Felt]int) []starknet.Felt {
	var most starknet.Felt
	for felt, n := range counts {
		if n > counts[most] && !felt.IsZero() {
			most = felt
		}
	}
	return []starknet.Felt{most}
}
