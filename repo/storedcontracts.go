package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// each runs a statement over the blocks of a run and calls add for every row
// with the block of its first column. Other columns are scanned into the
// targets.
func (r *reading) each(ctx context.Context, tx pgx.Tx, into *runOfBlocks, table facts.Table, statement string, targets []any, add func(*facts.Block) bool) error {
	rows, err := tx.Query(ctx, fmt.Sprintf(statement, r.code), int64(into.first), int64(into.last))
	if err != nil {
		return err
	}
	var number uint64
	_, err = pgx.ForEachRow(rows, append([]any{&number}, targets...), func() error {
		block, err := into.at(table, number)
		if err == nil && !add(block) {
			err = damaged(table, number, "a value is malformed, or an id is in no dictionary")
		}
		return err
	})
	return err
}

func (r *reading) declarations(ctx context.Context, tx pgx.Tx, into *runOfBlocks) error {
	var (
		class, compiled *starknet.Felt
		place           *int
	)
	return r.each(ctx, tx, into, facts.TableDeclarations, `/* stored.declarations */
		SELECT d.block, k.hash, d.compiled, d.tx
		FROM declarations d LEFT JOIN classes k ON k.chain = %[1]d AND k.id = d.class
		WHERE d.chain = %[1]d AND d.block BETWEEN $1 AND $2 ORDER BY d.block, k.hash`,
		[]any{&class, &compiled, &place}, func(b *facts.Block) bool {
			if class == nil {
				return false
			}
			b.Declarations = append(b.Declarations, facts.Declaration{Class: *class, Compiled: compiled, TxIndex: place})
			return true
		})
}

func (r *reading) changes(ctx context.Context, tx pgx.Tx, into *runOfBlocks) error {
	var (
		address, class *starknet.Felt
		origin         int
	)
	return r.each(ctx, tx, into, facts.TableChanges, `/* stored.contract_classes */
		SELECT h.block, a.felt, h.origin, k.hash
		FROM contract_classes h
		LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = h.address
		LEFT JOIN classes k ON k.chain = %[1]d AND k.id = h.class
		WHERE h.chain = %[1]d AND h.block BETWEEN $1 AND $2 ORDER BY h.block, a.felt, h.origin`,
		[]any{&address, &origin, &class}, func(b *facts.Block) bool {
			if address == nil || class == nil || origin < 0 || origin >= len(origins) {
				return false
			}
			b.Changes = append(b.Changes, facts.ClassChange{Address: *address, Origin: origins[origin], Class: *class})
			return true
		})
}

func (r *reading) deployments(ctx context.Context, tx pgx.Tx, into *runOfBlocks) error {
	var (
		address, class, deployer *starknet.Felt
		evidence                 int
		place                    *int
		attributed               bool
	)
	return r.each(ctx, tx, into, facts.TableDeployments, `/* stored.deployments */
		SELECT d.block, a.felt, k.hash, d.evidence, d.tx, d.deployer IS NOT NULL, m.felt
		FROM deployments d
		LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = d.address
		LEFT JOIN classes k ON k.chain = %[1]d AND k.id = d.class
		LEFT JOIN addresses m ON m.chain = %[1]d AND m.id = d.deployer
		WHERE d.chain = %[1]d AND d.block BETWEEN $1 AND $2 ORDER BY d.block, a.felt`,
		[]any{&address, &class, &evidence, &place, &attributed, &deployer}, func(b *facts.Block) bool {
			if address == nil || class == nil || attributed != (deployer != nil) || evidence < 0 || evidence >= len(evidences) {
				return false
			}
			b.Deployments = append(b.Deployments, facts.Deployment{
				Address: *address, Class: *class, Evidence: evidences[evidence], TxIndex: place, Deployer: deployer,
			})
			return true
		})
}

func (r *reading) tokens(ctx context.Context, tx pgx.Tx, into *runOfBlocks) error {
	var (
		address  *starknet.Felt
		standard int
	)
	return r.each(ctx, tx, into, facts.TableTokens, `/* stored.tokens */
		SELECT t.block, a.felt, t.standard
		FROM tokens t LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = t.address
		WHERE t.chain = %[1]d AND t.block BETWEEN $1 AND $2 ORDER BY t.block, a.felt`,
		[]any{&address, &standard}, func(b *facts.Block) bool {
			if address == nil || standard < 0 || standard >= len(standards) {
				return false
			}
			b.Tokens = append(b.Tokens, facts.Token{Address: *address, Standard: standards[standard]})
			return true
		})
}

func (r *reading) classes(ctx context.Context, tx pgx.Tx, into *runOfBlocks) error {
	found, err := storedClasses(ctx, tx, r.code, "k.block BETWEEN $1 AND $2", int64(into.first), int64(into.last))
	if err != nil {
		return err
	}
	for _, k := range found {
		block, err := into.at(facts.TableClasses, k.block)
		if err != nil {
			return err
		}
		block.Classes = append(block.Classes, k.class)
	}
	return nil
}
