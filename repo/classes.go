package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Classes returns the stored classes among the hashes.
func (db *DB) Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	rows, err := db.pool.Query(ctx, fmt.Sprintf(`/* class.find */
		SELECT hash, sierra, missing, abi FROM classes WHERE chain = %d AND hash = ANY($1)`, chainCode(c)),
		pgx.QueryExecModeCacheStatement, feltBytes(hashes))
	if err != nil {
		return nil, outage(err)
	}
	var (
		hash            starknet.Felt
		sierra, missing bool
		abi             []byte
	)
	found := make(map[starknet.Felt]*facts.Class, len(hashes))
	_, err = pgx.ForEachRow(rows, []any{&hash, &sierra, &missing, &abi}, func() error {
		found[hash] = facts.StoredClass(hash, sierra, slices.Clone(abi), missing)
		return nil
	})
	return found, outage(err)
}

// ClassHistories returns the indexed classes of the contracts. A contract
// that has none is absent.
func (db *DB) ClassHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error) {
	// Contracts by the dictionary's unique felt, their rows by primary key.
	rows, err := db.pool.Query(ctx, fmt.Sprintf(`/* class.history */
		SELECT a.felt, h.block, h.origin, k.hash
		FROM addresses a
		JOIN contract_classes h ON h.chain = %[1]d AND h.address = a.id
		JOIN classes k ON k.chain = %[1]d AND k.id = h.class
		WHERE a.chain = %[1]d AND a.felt = ANY($1)
		ORDER BY a.id, h.block, h.origin`, chainCode(c)),
		pgx.QueryExecModeCacheStatement, feltBytes(contracts))
	if err != nil {
		return nil, outage(err)
	}
	var (
		address starknet.Felt
		since   facts.ClassSince
		origin  int
	)
	histories := make(map[starknet.Felt]facts.ClassHistory, len(contracts))
	_, err = pgx.ForEachRow(rows, []any{&address, &since.Block, &origin, &since.Class}, func() error {
		since.Origin = origins[origin]
		histories[address] = append(histories[address], since)
		return nil
	})
	return histories, outage(err)
}

// writeClasses stores the classes that the blocks name first, and finds the
// ids of the others.
func (w *writer) writeClasses(ctx context.Context, tx pgx.Tx, blocks []facts.Block) error {
	if err := w.findClasses(ctx, tx, blocks); err != nil {
		return err
	}
	var last int32
	if err := tx.QueryRow(ctx, fmt.Sprintf("/* class.last */ SELECT coalesce(max(id), 0) FROM classes WHERE chain = %d", w.code)).Scan(&last); err != nil {
		return err
	}
	var classes, events, functions copyRows
	for i := range blocks {
		for _, class := range blocks[i].Classes {
			if _, stored := w.classes[class.Hash]; stored {
				continue // named by an earlier block of the batch
			}
			last++
			w.classes[class.Hash] = last
			w.class(&classes, blocks[i].Header.Number, last, class)
			if err := w.schemas(&events, &functions, last, class); err != nil {
				return err
			}
		}
	}
	if err := classes.into(ctx, tx, "classes", "chain, id, block, standard, sierra, account, missing, hash, abi"); err != nil {
		return err
	}
	if err := events.into(ctx, tx, "event_schemas", eventSchemaColumns); err != nil {
		return err
	}
	return functions.into(ctx, tx, "function_schemas", functionSchemaColumns)
}

func (w *writer) findClasses(ctx context.Context, tx pgx.Tx, blocks []facts.Block) error {
	var named []starknet.Felt
	for i := range blocks {
		for _, change := range blocks[i].Changes {
			named = append(named, change.Class)
		}
		for _, declaration := range blocks[i].Declarations {
			named = append(named, declaration.Class)
		}
		for _, deployment := range blocks[i].Deployments {
			named = append(named, deployment.Class)
		}
	}
	if len(named) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* class.ids */ SELECT id, hash FROM classes WHERE chain = %d AND hash = ANY($1)`, w.code),
		pgx.QueryExecModeCacheStatement, feltBytes(named))
	if err != nil {
		return err
	}
	var (
		id   int32
		hash starknet.Felt
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &hash}, func() error {
		w.classes[hash] = id
		return nil
	})
	return err
}

func (w *writer) class(r *copyRows, block uint64, id int32, class *facts.Class) {
	r.row(9)
	r.int2(w.code)
	r.int4(id)
	r.int4(int32(block))
	r.int2(slices.Index(standards, class.Standard))
	r.bool(class.Sierra)
	r.bool(class.Account)
	r.bool(class.Missing)
	r.bytes(class.Hash[:])
	if class.ABI == nil {
		r.null()
	} else {
		r.bytes(class.ABI)
	}
}

const (
	eventSchemaColumns    = "chain, class, ordinal, selector, ambiguous, name, path, fields, unsupported"
	functionSchemaColumns = "chain, class, ordinal, selector, view, l1_handler, name, inputs, outputs, unsupported"
)

// schemas materialises a class' events and functions.
func (w *writer) schemas(events, functions *copyRows, id int32, class *facts.Class) error {
	for i, e := range class.Events {
		events.row(9)
		events.int2(w.code)
		events.int4(id)
		events.int2(i)
		events.int4(w.selectors.ids[e.Selector])
		events.bool(e.Ambiguous)
		events.text(e.Name)
		events.texts(e.Path)
		if err := events.json(e.Fields); err != nil {
			return err
		}
		events.textOrNull(e.Unsupported)
	}
	for i, f := range class.Functions {
		functions.row(10)
		functions.int2(w.code)
		functions.int4(id)
		functions.int2(i)
		functions.int4(w.selectors.ids[f.Selector])
		functions.bool(f.View)
		functions.bool(f.L1Handler)
		functions.text(f.Name)
		if err := functions.json(f.Inputs); err != nil {
			return err
		}
		if err := functions.json(f.Outputs); err != nil {
			return err
		}
		functions.textOrNull(f.Unsupported)
	}
	return nil
}

// json writes a jsonb value; an absent list is an empty one.
func (c *copyRows) json(fields []facts.FieldSchema) error {
	if fields == nil {
		fields = []facts.FieldSchema{}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	c.length(1 + len(text))
	c.buf = append(append(c.buf, 1), text...) // 1 is the version of the binary form
	return nil
}
