package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/transparency"
	"astrolabe/jobs/fsck"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/tokens"
	store "astrolabe/repo/verify"
)

// fsckCommand checks the read model for faults.
type fsckCommand struct {
	databaseSettings
	nodeSettings
	chainSettings
	blockSettings
	Limit int `help:"Maximum number of findings to print per chain." env:"-" default:"20"`
}

// Help returns the detailed help text.
func (fsckCommand) Help() string {
	return `Checks the read model without a node: base rows, classes and dictionary entries against the digests that were committed with them, message hashes, parent links, counts, positions, checkpoint and tiers, partitions and indexes, locators, and the results of jobs. It also derives every derived row again from the stored blocks and compares the two. For chains with a node URL, it compares every block, the L1 watermark, and the metadata, supplies and largest census balances of tokens, with the node. It also verifies every verification receipt, and compares receipts, jobs, histories, public records, declarations and the transparency log with each other.

Each finding comes with the command or the SQL that repairs it; run it as it is printed, then run fsck again. A printed command has the flags for the database, the data folder and the nodes that fsck was started with, except those that may hold a secret. Blocks that were indexed before digests existed can only be compared with a node. The exit code is 0 if nothing was found and 1 otherwise. The command changes nothing and can run while the indexer runs.`
}

// Validate checks the settings before anything starts.
func (f fsckCommand) Validate() error {
	if f.Limit < 1 {
		return errors.New("--limit must be at least 1")
	}
	return firstError(f.databaseSettings.check(), f.checkNodes(), f.blockSettings.check())
}

// Run prints the findings.
func (f fsckCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, f.databaseSettings, func(db *database) error {
		chains, err := f.stored(ctx, db)
		if err != nil {
			return err
		}
		if len(chains) == 0 {
			fmt.Fprintln(c.stdout, "nothing is indexed")
		}
		found := 0
		for _, name := range chains {
			n, err := f.chain(ctx, c, db, name)
			if err != nil {
				return err
			}
			found += n
		}
		n, err := f.verification(ctx, c, db)
		if err != nil {
			return err
		}
		if found += n; found > 0 {
			return fmt.Errorf("%d findings", found)
		}
		return nil
	})
}

// stored returns the selected chains of which anything is stored, also if their
// checkpoint is lost. A chain that was selected by name must be one of them.
func (f fsckCommand) stored(ctx context.Context, db *database) ([]domain.Chain, error) {
	chains, err := index.NewInspector(db.DB).Chains(ctx)
	if err != nil || f.Chain == "" {
		return chains, err
	}
	if !slices.Contains(chains, f.Chain) {
		return nil, usageError{fmt.Errorf("%s is not indexed", f.Chain)}
	}
	return []domain.Chain{f.Chain}, nil
}

// chain checks one chain and returns the number of findings.
func (f fsckCommand) chain(ctx context.Context, c *console, db *database, name domain.Chain) (int, error) {
	job := &fsck.Job{
		Chain: name, Checkpoints: index.NewCheckpoints(db.DB), Archive: index.NewArchive(db.DB), Inspector: repositories.NewInspector(db.DB), Readings: tokens.NewReadings(db.DB), Untyped: tokens.NewTransfers(db.DB),
		From: f.From, To: f.last(), Limit: f.Limit,
		Report: func(line string) { c.logger.Info(line, "chain", name) },
	}
	if len(f.urls()[name]) > 0 {
		pool, err := c.openNode(name, f.nodeSettings, jobUse)
		if err != nil {
			return 0, err
		}
		defer pool.Close()
		job.Node = pool.Source()
	}
	result, err := job.Run(ctx)
	advice := &advice{flags: c.flags, nodes: f.nodeSettings}
	for _, finding := range result.Findings {
		advice.print(c, name, finding)
	}
	if err != nil {
		return len(result.Findings), err
	}
	for _, note := range append(result.Notes, advice.notes...) {
		fmt.Fprintf(c.stdout, "%s  note: %s\n", name, note)
	}
	summary := "nothing found"
	if n := len(result.Findings); n > 0 {
		summary = fmt.Sprintf("%d findings", n)
	}
	if result.Blocks > 0 {
		summary = fmt.Sprintf("blocks %d to %d: %s", result.First, result.Last, summary)
	} else {
		summary += "; no blocks checked"
	}
	fmt.Fprintf(c.stdout, "%s  %s\n", name, summary)
	return len(result.Findings), nil
}

// verification checks verification jobs, receipts and their transparency log in one
// snapshot, and returns the number of findings. Receipts are of no chain.
func (f fsckCommand) verification(ctx context.Context, c *console, db *database) (int, error) {
	var faults []transparency.Fault
	var receipts int64
	err := store.ReadEvidence(ctx, db.DB, func(evidence store.Evidence) (err error) {
		if faults, err = verify.InspectJobs(ctx, evidence, f.Limit); err != nil || len(faults) >= f.Limit {
			return err
		}
		more, checked, err := transparency.Inspect(ctx, evidence, f.Limit-len(faults))
		faults, receipts = append(faults, more...), checked
		return err
	})
	for _, fault := range faults {
		repair := "repair with SQL: " + fault.Repair
		if fault.Repair == "" {
			repair = "no repair: restore the rows of verification_keys, verification_receipts, verification_jobs and verification_history from a backup"
		}
		fmt.Fprintf(c.stdout, "verification  %s: %s\n    %s\n", fault.Check, fault.Detail, repair)
	}
	if err != nil || receipts == 0 && len(faults) == 0 {
		return len(faults), err
	}
	summary := "nothing found"
	if n := len(faults); n > 0 {
		summary = fmt.Sprintf("%d findings", n)
	}
	fmt.Fprintf(c.stdout, "verification  receipts 1 to %d: %s\n", receipts, summary)
	return len(faults), nil
}

// print prints a finding with its repair.
func (a *advice) print(c *console, name domain.Chain, f indexing.Finding) {
	place := ""
	if f.Block != nil {
		place = fmt.Sprintf("block %d: ", *f.Block)
	}
	fmt.Fprintf(c.stdout, "%s  %s: %s%s\n    %s\n", name, f.Check, place, f.Detail, a.line(name, f.Repair))
}
