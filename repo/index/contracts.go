package index

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// The columns of the contract tables, in the order of the fields of a row.
const (
	declarationColumns    = "chain, class, block, tx, compiled"
	contractClassColumns  = "chain, address, block, origin, class"
	implementationColumns = "chain, address, block, origin, family, class, contract"
	untypedColumns        = "chain, address, part, block, events"
	deploymentColumns     = "chain, address, block, tx, evidence, class, deployer"
)

// writeContracts stores declarations, class changes, implementations,
// deployments and tokens.
func (w *batchWriter) writeContracts(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	if err := w.writeChanges(ctx, tx, blocks); err != nil {
		return err
	}
	if err := w.writeDeployments(ctx, tx, blocks); err != nil {
		return err
	}
	return w.writeTokens(ctx, tx, blocks)
}

// writeChanges stores declarations, class changes and implementations.
func (w *batchWriter) writeChanges(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var declarations, changes copyRows
	for i := range blocks {
		number := blocks[i].Header.Number
		for _, d := range blocks[i].Declarations {
			declarations.row(5)
			declarations.int2(w.code)
			declarations.id(w.classes[d.Class])
			declarations.block(number)
			declarations.position(d.TxIndex)
			declarations.felt(d.Compiled)
		}
		for _, c := range blocks[i].Changes {
			changes.row(5)
			changes.int2(w.code)
			changes.id(w.addresses.ids[c.Address])
			changes.block(number)
			enum(&changes, model.Origin(c.Origin))
			changes.id(w.classes[c.Class])
		}
	}
	if err := declarations.into(ctx, tx, "declarations", declarationColumns); err != nil {
		return err
	}
	if err := changes.into(ctx, tx, "contract_classes", contractClassColumns); err != nil {
		return err
	}
	return w.writeImplementations(ctx, tx, blocks)
}

func (w *batchWriter) writeImplementations(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for _, m := range blocks[i].Implementations {
			rows.row(7)
			rows.int2(w.code)
			rows.id(w.addresses.ids[m.Address])
			rows.block(blocks[i].Header.Number)
			enum(&rows, model.Origin(m.Origin))
			enum(&rows, model.Family(m.Family))
			if m.Class == nil {
				rows.null()
			} else {
				rows.id(w.classes[*m.Class])
			}
			w.named(&rows, w.addresses, m.Contract)
		}
	}
	return rows.into(ctx, tx, "contract_implementations", implementationColumns)
}

func (w *batchWriter) writeUntyped(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for _, u := range blocks[i].Untyped {
			rows.row(5)
			rows.int2(w.code)
			rows.id(w.addresses.ids[u.Address])
			enum(&rows, model.UntypedRole(u.Role))
			rows.block(blocks[i].Header.Number)
			rows.int4(int32(u.Events))
		}
	}
	return rows.into(ctx, tx, "untyped_transfers", untypedColumns)
}

func (w *batchWriter) writeDeployments(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for _, d := range blocks[i].Deployments {
			rows.row(7)
			rows.int2(w.code)
			rows.id(w.addresses.ids[d.Address])
			rows.block(blocks[i].Header.Number)
			rows.position(d.TxIndex)
			enum(&rows, model.Evidence(d.Evidence))
			rows.id(w.classes[d.Class])
			w.named(&rows, w.addresses, d.Deployer)
		}
	}
	return rows.into(ctx, tx, "deployments", deploymentColumns)
}

// writeTokens stores the tokens that appear first in these blocks.
func (w *batchWriter) writeTokens(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	tokens, err := w.tokens(blocks)
	if err != nil || len(tokens.addresses) == 0 {
		return err
	}
	// An address may appear several times in a batch: its first block counts.
	_, err = repo.Exec(ctx, tx, `/* token.add */
		INSERT INTO tokens (chain, address, block, standard)
		SELECT DISTINCT ON (address) $1::smallint, address, block, standard
		FROM unnest($2::integer[], $3::integer[], $4::smallint[]) AS seen (address, block, standard)
		ORDER BY address, block
		ON CONFLICT DO NOTHING`, w.code, tokens.addresses, tokens.blocks, tokens.standards)
	return err
}

// tokenColumns are tokens as statement arguments, one array per column.
type tokenColumns struct {
	addresses, blocks []int32
	standards         []int16
}

// tokens returns the tokens that appear in the blocks, in order. The arrays are
// never nil: NOT address = ANY of a null array is true for no row.
func (w *batchWriter) tokens(blocks []facts.Block) (tokenColumns, error) {
	columns := tokenColumns{addresses: []int32{}, blocks: []int32{}, standards: []int16{}}
	for i := range blocks {
		for _, token := range blocks[i].Tokens {
			standard, err := model.Standard(token.Standard).Value()
			if err != nil {
				return columns, err
			}
			columns.addresses = append(columns.addresses, int32(w.addresses.ids[token.Address]))
			columns.blocks = append(columns.blocks, int32(blocks[i].Header.Number))
			columns.standards = append(columns.standards, int16(standard.(int64)))
		}
	}
	return columns, nil
}
