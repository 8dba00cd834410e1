package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"astrolabe/bench/load"
)

// block is the fields of a block that both servers return.
type block struct {
	Number, TxCount, EventCount int
	Hash, ParentHash            string
	Time                        time.Time
	Parent                      *struct {
		Hash    string
		TxCount int
	}
}

// The selections of these fields, in our schema and in PostGraphile's.
const (
	ourBlock   = `number:blockNumber hash:blockHash parentHash time:timestampIso txCount eventCount`
	theirBlock = `number hash parentHash time txCount eventCount`
	ourPage    = `{blocks(chain:SN_MAIN first:25){nodes{` + ourBlock + ` parent{hash:blockHash txCount}}}}`
	theirPage  = `{blocks:allBlocks(first:25 orderBy:NUMBER_DESC){nodes{` + theirBlock + ` parent{hash txCount}}}}`
)

func ourPoint(hash string) string {
	return `{block(chain:SN_MAIN hash:"` + hash + `"){` + ourBlock + `}}`
}
func theirPoint(hash string) string {
	return `{block:blockByHash(hash:"` + hash + `"){` + theirBlock + `}}`
}

// besidePostGraphile measures a point read and a page.
func (b bench) besidePostGraphile(ctx context.Context) error {
	hash, err := b.samePage(ctx)
	if err != nil {
		return err
	}
	if err := b.samePoint(ctx, hash); err != nil {
		return err
	}
	contenders := []struct {
		name    string
		request load.Request
	}{
		{"a block by its hash, PostGraphile", b.theirs.request(theirPoint(hash))},
		{"a block by its hash, Astrolabe", b.ours.request(ourPoint(hash))},
		{"25 blocks with their parents, PostGraphile", b.theirs.request(theirPage)},
		{"25 blocks with their parents, Astrolabe", b.ours.request(ourPage)},
	}
	rates := make([][]float64, len(contenders))
	for round := range b.rounds + 1 { // the first one is a warm-up
		for i, c := range contenders {
			result, err := load.Run(ctx, []load.Request{c.request}, connections, b.lasts)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				rates[i] = append(rates[i], result.Rate)
				fmt.Printf("round %d  %-42s %s\n", round, c.name, result)
			}
		}
	}
	fmt.Println()
	fmt.Printf("point read, Astrolabe over PostGraphile    %.2f  (goal: at least 3)\n", median(rates[1])/median(rates[0]))
	fmt.Printf("page, Astrolabe over PostGraphile          %.2f  (goal: at least 2)\n", median(rates[3])/median(rates[2]))
	return nil
}

const connections = 16

// samePage fails unless both servers return the same newest blocks, and returns
// the hash of the oldest of them. The chain may grow between two responses.
func (b bench) samePage(ctx context.Context) (hash string, err error) {
	var ours, theirs struct{ Blocks struct{ Nodes []block } }
	for range 5 {
		if err := b.ours.ask(ctx, ourPage, &ours); err != nil {
			return "", err
		}
		if err := b.theirs.ask(ctx, theirPage, &theirs); err != nil {
			return "", err
		}
		if nodes := ours.Blocks.Nodes; len(nodes) == 25 && equal(nodes, theirs.Blocks.Nodes) {
			return nodes[24].Hash, nil
		}
	}
	return "", fmt.Errorf("the pages differ: %v and %v", ours, theirs)
}

func (b bench) samePoint(ctx context.Context, hash string) error {
	var ours, theirs struct{ Block block }
	if err := b.ours.ask(ctx, ourPoint(hash), &ours); err != nil {
		return err
	}
	if err := b.theirs.ask(ctx, theirPoint(hash), &theirs); err != nil {
		return err
	}
	if ours.Block.Hash != hash || !equal([]block{ours.Block}, []block{theirs.Block}) {
		return fmt.Errorf("the blocks differ: %v and %v", ours, theirs)
	}
	return nil
}

// equal compares blocks by their JSON, with times in one zone.
func equal(a, b []block) bool {
	text := func(blocks []block) string {
		for i := range blocks {
			blocks[i].Time = blocks[i].Time.UTC()
		}
		out, err := json.Marshal(blocks)
		if err != nil {
			panic(err) // plain values always encode
		}
		return string(out)
	}
	return text(a) == text(b)
}
