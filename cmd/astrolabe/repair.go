package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/cmd/astrolabe/process"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/repair"
	"astrolabe/repo/index"
	"astrolabe/starknet"
)

// repairCommand replaces damaged rows by what the node confirms.
type repairCommand struct {
	databaseSettings
	nodeSettings
	Chain      domain.Chain `help:"Chain: SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	Block      *uint64      `help:"Rewrite the rows of this block from the node." env:"-" placeholder:"N" xor:"target"`
	To         *uint64      `help:"With --block: also the blocks up to this one." env:"-" placeholder:"N"`
	Class      string       `help:"Rewrite this class from the node." env:"-" placeholder:"HASH" xor:"target"`
	Entry      string       `help:"Repair an entry of a dictionary, for example addresses:5, from the node." env:"-" placeholder:"TABLE:ID" xor:"target"`
	Checkpoint bool         `help:"Move the checkpoint, the finalized tier, the end of the verified blocks and the L1 watermark to where the stored blocks are. With a node, an L1 watermark that is too high is moved back." env:"-" xor:"target"`
	Versions   bool         `help:"Restore the lost version record. Requires a valid digest for every block." env:"-" xor:"target"`
	Discard    string       `help:"Discard results that the workers compute again: sums, supplies, metadata, censuses, certificates, pools or ledgers." env:"-" placeholder:"RESULTS" xor:"target"`
}

// Help returns the detailed help text.
func (repairCommand) Help() string {
	return `Repairs damaged parts of an index, without indexing later blocks again. Run it as fsck prints it. Stop the indexer first.

--block, --class and --entry need a node. A block of the node is accepted if it has the stored hash. If that hash is damaged, the block is accepted if both neighbouring blocks confirm it, or if the stored hash of a later block, which commits to it, confirms it. The rows of a block and everything derived from them are rewritten in one transaction. A block that is not indexed loses its rows. A class of the node is accepted if it has the right hash, or is the one that was committed. If the stored class was missing or different, everything that was derived without the right one is derived again.`
}

// Validate checks the settings before anything starts.
func (r repairCommand) Validate() error {
	switch {
	case r.Block == nil && r.Class == "" && r.Entry == "" && !r.Checkpoint && !r.Versions && r.Discard == "":
		return errors.New("pass what to repair: --block N, --class HASH, --entry TABLE:ID, --checkpoint, --versions or --discard RESULTS")
	case r.To != nil && (r.Block == nil || *r.To < *r.Block):
		return errors.New("--to needs --block, and must not be below it")
	case r.Discard != "" && !slices.Contains(indexing.AllResults, indexing.Results(r.Discard)):
		return errors.New("--discard must be sums, supplies, metadata, censuses, certificates, pools or ledgers")
	case r.needsNode() && len(r.urls()[r.Chain]) == 0:
		return errors.New("--block, --class and --entry need a node: set --node-main or --node-sepolia")
	}
	return firstError(r.checkNodes(), r.check())
}

func (r repairCommand) needsNode() bool { return r.Block != nil || r.Class != "" || r.Entry != "" }

// Run repairs and prints what was done.
func (r repairCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		job := &repair.Job{
			Chain: r.Chain, Holder: holder(), Gone: process.Gone, Leases: index.NewLeases(db.DB), Checkpoints: index.NewCheckpoints(db.DB),
			Archive: index.NewArchive(db.DB), Store: index.NewRepairer(db.DB), Entries: index.NewEntries(db.DB), Verify: facts.FullyVerified,
			Report: func(line string) { fmt.Fprintf(c.stdout, "%s  %s\n", r.Chain, line) },
		}
		if len(r.urls()[r.Chain]) > 0 && (r.needsNode() || r.Checkpoint) {
			pool, err := c.openNode(r.Chain, r.nodeSettings, jobUse)
			if err != nil {
				return err
			}
			defer pool.Close()
			job.Node = pool.Source()
		}
		return r.repair(ctx, job)
	})
}

func (r repairCommand) repair(ctx context.Context, job *repair.Job) error {
	switch {
	case r.Block != nil:
		to := *r.Block
		if r.To != nil {
			to = *r.To
		}
		return job.Blocks(ctx, *r.Block, to)
	case r.Class != "":
		hash, err := starknet.ParseFelt(r.Class)
		if err != nil {
			return usageError{fmt.Errorf("--class must be a 0x-prefixed hash: %w", err)}
		}
		return job.Class(ctx, hash)
	case r.Entry != "":
		table, text, _ := strings.Cut(r.Entry, ":")
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil || table != "addresses" && table != "selectors" && table != "classes" {
			return usageError{errors.New("--entry must be addresses:ID, selectors:ID or classes:ID")}
		}
		return job.Entry(ctx, table, id)
	case r.Checkpoint:
		return job.Checkpoint(ctx)
	case r.Versions:
		return job.Versions(ctx)
	}
	return job.Discard(ctx, indexing.Results(r.Discard))
}
