package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain/indexing"
)

// onChain lets a fake node answer for a chain whose hashes begin with a letter; its
// head is the block of a number. The tag l1_accepted means the head, too.
func onChain(n *fakeNode, letter string, newest uint64) {
	hash := func(number uint64) string { return fmt.Sprintf("0x%s%x", letter, number) }
	n.on(head, result(fmt.Sprintf(`{"block_hash":"%s","block_number":%d}`, hash(newest), newest)))
	n.on("starknet_getBlockWithTxHashes", func(w http.ResponseWriter, r *http.Request, c call) {
		asked := newest
		var at []struct {
			Number uint64 `json:"block_number"`
		}
		if json.Unmarshal(c.Params, &at) == nil {
			asked = at[0].Number
		}
		if asked > newest {
			rpcError(blockNotFound)(w, r, c)
			return
		}
		block := strings.Replace(header(int(asked)), fmt.Sprintf("0x%x", 0xabc+asked), hash(asked), 1)
		result(`{"status":"ACCEPTED_ON_L1","transactions":[],`+block[1:])(w, r, c)
	})
}

func TestTheHeadIsTheNewestBlockThatTheQuorumHas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quorum int
		heads  string // the upstreams' chain and height
		want   string // empty: too few agree
	}{
		"all agree":                             {2, "a9 a9 a9", "0xa9"},
		"one is ahead":                          {2, "a9 a9 ab", "0xa9"},
		"one is behind":                         {2, "a3 a9 aa", "0xa9"},
		"all are required and one is behind":    {3, "a3 a9 aa", "0xa3"},
		"one is on a fork":                      {2, "b9 a9 a9", "0xa9"},
		"one is ahead on a fork":                {2, "bf a9 a9", "0xa9"},
		"one on a fork hides that one is ahead": {2, "b9 a9 a8", "0xa8"},
		"two forks":                             {2, "b9 a9", ""},
		"three forks":                           {2, "b9 a9 c8", ""},
		"a majority against a quorum":           {2, "b9 b9 a9 a9 a9", "0xa9"},
		"two quorums":                           {2, "b9 b9 a9 a9", ""},
		"one does not answer":                   {2, "-- a9 a9", "0xa9"},
		"only one answers":                      {2, "-- a9 --", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var nodes []*fakeNode
			for _, text := range strings.Fields(c.heads) {
				n := newFakeNode(t)
				n.on(head, status(500))
				if text != "--" {
					var newest uint64
					if _, err := fmt.Sscanf(text[1:], "%x", &newest); err != nil {
						t.Fatal(err)
					}
					onChain(n, text[:1], newest)
				}
				nodes = append(nodes, n)
			}
			source := withoutSurveys(openPool(t, nil, nodes...)).Source().WithQuorum(c.quorum)
			got, err := source.Head(t.Context())
			if c.want == "" {
				if !errors.Is(err, indexing.ErrNoQuorum) {
					t.Errorf("got the head %s and %v, want %v", got, err, indexing.ErrNoQuorum)
				}
				return
			}
			if err != nil || got.Hash.String() != c.want {
				t.Errorf("got the head %s and %v, want %s", got, err, c.want)
			}
			if accepted, known, err := source.L1Head(t.Context()); err != nil || !known || accepted != got {
				t.Errorf("got the head of L1 %s, %t and %v, want %s", accepted, known, err, got)
			}
			if hash, has, err := source.HashAt(t.Context(), got.Number); err != nil || !has || hash != got.Hash {
				t.Errorf("got the hash %s, %t and %v, want %s", hash, has, err, got.Hash)
			}
			if hash, has, err := source.HashAt(t.Context(), 0x20); err != nil || has {
				t.Errorf("above the head: got the hash %s, %t and %v, want none", hash, has, err)
			}
		})
	}
}
