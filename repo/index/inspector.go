package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Inspector checks that the tables of the read model are consistent.
type Inspector struct{ db *repo.DB }

// NewInspector returns the inspector of a database.
func NewInspector(db *repo.DB) Inspector { return Inspector{db} }

// Chains returns the chains with a checkpoint, a partition, or a table of blocks.
// Each of them alone shows that blocks are or were stored.
func (i Inspector) Chains(ctx context.Context) (chains []domain.Chain, err error) {
	for _, c := range domain.Chains {
		var stored bool
		err := i.db.Write().NewRaw(`/* fsck.stored */
			SELECT EXISTS (SELECT FROM index_checkpoints WHERE chain = ?0) OR EXISTS (SELECT FROM index_ranges WHERE chain = ?0)
				OR EXISTS (SELECT FROM pg_class t WHERE t.relkind = 'r' AND t.relname ~ ?1
					AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'blocks'::regclass))`,
			model.Code(c), fmt.Sprintf("^blocks_%d_[0-9]+$", model.Code(c))).Scan(ctx, &stored)
		if err != nil {
			return nil, repo.Outage(err)
		}
		if stored {
			chains = append(chains, c)
		}
	}
	return chains, nil
}

// Digested reports whether every stored block has a digest. It reads tables of
// blocks up to the first one without.
func (i Inspector) Digested(ctx context.Context, c domain.Chain) (digested bool, err error) {
	err = i.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		ranges, err := rangesAfter(ctx, tx, c, -1)
		if err != nil {
			return err
		}
		exist, err := existing(ctx, tx, c, ranges)
		if err != nil {
			return err
		}
		queries := []string{"SELECT FROM blocks WHERE false"}
		for _, r := range ranges {
			if name := leaf("blocks", c, r.From); exist[name] {
				queries = append(queries, "SELECT FROM "+name+" WHERE base_digest IS NULL")
			}
		}
		return tx.NewRaw("/* fsck.digested */ SELECT NOT EXISTS ("+strings.Join(queries, " UNION ALL ")+")").Scan(ctx, &digested)
	})
	return digested, repo.Outage(err)
}

// Checks returns the consistency checks of a chain that run inside the
// database. Checks of blocks cover the given blocks, both ends included; the
// others cover everything. Each sees one snapshot, so they can run while an
// indexer writes.
//
// They must run in this order: the first checks that the tables exist as
// expected, and whatever it finds can make the others fail.
func (i Inspector) Checks(c domain.Chain, from, to uint64) []indexing.Check {
	f := fsck{chain: c, code: model.Code(c), from: from, to: min(to, math.MaxInt32)}
	checks := []indexing.Check{i.check("partitions", f.partitions)}
	for _, q := range chainQuestions {
		check := i.check(q.name, func(ctx context.Context, tx bun.IDB, limit int) ([]indexing.Finding, error) {
			ranges, err := rangesAfter(ctx, tx, c, -1)
			if err != nil {
				return nil, err
			}
			return f.ask(ctx, tx, q, f.everywhere(ranges), limit)
		})
		check.Follows = q.follows
		checks = append(checks, check)
	}
	for _, q := range rangeQuestions() {
		checks = append(checks, i.check(q.name, func(ctx context.Context, tx bun.IDB, limit int) ([]indexing.Finding, error) {
			return f.askRanges(ctx, tx, q, limit)
		}))
	}
	snapshots, certificates := i.check("census", f.snapshots), i.check("certificates", f.certificates)
	snapshots.Follows, certificates.Follows = true, true
	return append(checks, snapshots, certificates)
}

// check runs a check on one snapshot.
func (i Inspector) check(name string, run func(ctx context.Context, tx bun.IDB, limit int) ([]indexing.Finding, error)) indexing.Check {
	return indexing.Check{Name: name, Run: func(ctx context.Context, limit int) (findings []indexing.Finding, err error) {
		err = i.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
			findings, err = run(ctx, tx, limit)
			return err
		})
		return findings, repo.Outage(err)
	}}
}

// fsck checks the read model of one chain.
type fsck struct {
	chain    domain.Chain
	code     int
	from, to uint64
}

// question is a statement that selects faults: a block, or null, a sentence, and
// the command that repairs it, or null if that follows from the check. {names} in
// it are placeholders for tables, numbers and commands.
type question struct {
	name, sql string
	follows   bool // see indexing.Check
}

// rangeColumns are the columns that questions over all partitions may use.
var rangeColumns = map[string]string{
	"blocks": "block, hash, parent_hash, verification", "transactions": "block, sender, contract, selector",
	"events": "block, tx, log, address, selector", "messages": "block, contract, selector",
	"transfers": "block, token, sender, receiver", "activity": "block, address",
}

// everywhere replaces {table} by all rows of a chain, visible or not.
func (f fsck) everywhere(ranges []indexing.Range) []string {
	var pairs []string
	for _, table := range rangeTables {
		pairs = append(pairs, "{"+table.name+"}", f.rows(table.name, ranges))
	}
	return append(pairs, "{locatorRows}", fmt.Sprintf(locatorRows, f.code, f.from, f.to+1))
}

// rows selects the columns of a table's rows in all partitions.
func (f fsck) rows(table string, ranges []indexing.Range) string {
	all := make([]string, len(ranges))
	for i, r := range ranges {
		all[i] = "SELECT " + rangeColumns[table] + " FROM " + leaf(table, f.chain, r.From)
	}
	if len(ranges) == 0 {
		all = []string{"SELECT " + rangeColumns[table] + " FROM " + table + " WHERE false"}
	}
	return "(" + strings.Join(all, " UNION ALL ") + ")"
}

// askRanges runs a question for each partition that holds any of the checked
// blocks.
func (f fsck) askRanges(ctx context.Context, tx bun.IDB, q question, limit int) (findings []indexing.Finding, err error) {
	ranges, err := rangesAfter(ctx, tx, f.chain, int64(f.from)-1)
	if err != nil {
		return nil, err
	}
	for _, r := range ranges {
		if r.From > f.to || len(findings) >= limit {
			break
		}
		var pairs []string
		for _, table := range rangeTables {
			pairs = append(pairs, "{"+table.name+"}", leaf(table.name, f.chain, r.From))
		}
		end := r.To
		if end == 0 {
			end = math.MaxInt32
		}
		pairs = append(pairs, "{range.from}", fmt.Sprint(r.From), "{range.to}", fmt.Sprint(end), "{range.events}", fmt.Sprint(r.Events))
		found, err := f.ask(ctx, tx, q, pairs, limit-len(findings))
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// ask runs a question.
func (f fsck) ask(ctx context.Context, tx bun.IDB, q question, pairs []string, limit int) ([]indexing.Finding, error) {
	pairs = append(pairs, "{chain}", fmt.Sprint(f.code), "{from}", fmt.Sprint(f.from), "{to}", fmt.Sprint(f.to),
		"{name}", string(f.chain), "{repair}", "astrolabe repair --chain "+string(f.chain),
		"{prime}", `'\x0800000000000011000000000000000000000000000000000000000000000001'`)
	var wrong []struct {
		Block  *int64  `bun:"block"`
		What   string  `bun:"what"`
		Repair *string `bun:"repair"`
	}
	err := tx.NewRaw(fmt.Sprintf("/* fsck.%s */ SELECT block, what, repair FROM (%s) AS wrong (block, what, repair) ORDER BY block LIMIT %d",
		q.name, strings.NewReplacer(pairs...).Replace(q.sql), limit)).Scan(ctx, &wrong)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the check %s failed", q.name), err)
	}
	findings := make([]indexing.Finding, len(wrong))
	for i, row := range wrong {
		findings[i] = indexing.Finding{Check: q.name, Detail: row.What}
		if row.Repair != nil {
			findings[i].Repair = *row.Repair
		}
		if row.Block != nil {
			findings[i].Block = new(uint64(max(*row.Block, 0)))
		}
	}
	return findings, nil
}
