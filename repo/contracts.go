package repo

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/facts"
)

// writeContracts stores declarations, class changes, deployments and tokens.
func (w *writer) writeContracts(ctx context.Context, tx pgx.Tx, blocks []facts.Block) error {
	var declarations, changes copyRows
	for i := range blocks {
		number := blocks[i].Header.Number
		for _, d := range blocks[i].Declarations {
			declarations.row(5)
			declarations.int2(w.code)
			declarations.int4(w.classes[d.Class])
			declarations.int4(int32(number))
			declarations.place(d.TxIndex)
			declarations.felt(d.Compiled)
		}
		for _, c := range blocks[i].Changes {
			changes.row(5)
			changes.int2(w.code)
			changes.int4(w.addresses.ids[c.Address])
			changes.int4(int32(number))
			changes.int2(slices.Index(origins, c.Origin))
			changes.int4(w.classes[c.Class])
		}
	}
	if err := declarations.into(ctx, tx, "declarations", "chain, class, block, tx, compiled"); err != nil {
		return err
	}
	if err := changes.into(ctx, tx, "contract_classes", "chain, address, block, origin, class"); err != nil {
		return err
	}
	if err := w.writeDeployments(ctx, tx, blocks); err != nil {
		return err
	}
	return w.writeTokens(ctx, tx, blocks)
}

func (w *writer) writeDeployments(ctx context.Context, tx pgx.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for _, d := range blocks[i].Deployments {
			rows.row(7)
			rows.int2(w.code)
			rows.int4(w.addresses.ids[d.Address])
			rows.int4(int32(blocks[i].Header.Number))
			rows.place(d.TxIndex)
			rows.int2(slices.Index(evidences, d.Evidence))
			rows.int4(w.classes[d.Class])
			w.word(&rows, w.addresses, d.Deployer)
		}
	}
	return rows.into(ctx, tx, "deployments", "chain, address, block, tx, evidence, class, deployer")
}

// writeTokens stores the tokens that the blocks show first.
func (w *writer) writeTokens(ctx context.Context, tx pgx.Tx, blocks []facts.Block) error {
	var (
		addresses, numbers []int32
		kinds              []int16
	)
	for i := range blocks {
		for _, token := range blocks[i].Tokens {
			addresses = append(addresses, w.addresses.ids[token.Address])
			numbers = append(numbers, int32(blocks[i].Header.Number))
			kinds = append(kinds, int16(slices.Index(standards, token.Standard)))
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	// One address may come several times in a batch: the first block counts.
	_, err := tx.Exec(ctx, `/* token.add */
		INSERT INTO tokens (chain, address, block, standard)
		SELECT DISTINCT ON (address) $1, address, block, standard
		FROM unnest($2::integer[], $3::integer[], $4::smallint[]) AS shown (address, block, standard)
		ORDER BY address, block
		ON CONFLICT DO NOTHING`, w.code, addresses, numbers, kinds)
	return err
}

// place writes a transaction's index, or null.
func (c *copyRows) place(index *int) {
	if index == nil {
		c.null()
		return
	}
	c.int2(*index)
}
