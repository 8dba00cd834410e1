package index

import (
	"context"
	"fmt"

	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// writeClasses stores the classes that appear first in these blocks, and looks
// up the ids of the others.
func (w *batchWriter) writeClasses(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	if err := w.findClasses(ctx, tx, blocks); err != nil {
		return err
	}
	last, err := w.lastClass(ctx, tx)
	if err != nil {
		return err
	}
	var classes, events, functions copyRows
	for i := range blocks {
		for _, class := range blocks[i].Classes {
			if _, stored := w.classes[class.Hash]; stored {
				continue // in an earlier block of the batch
			}
			last++
			id := model.ID(last)
			w.classes[class.Hash] = id
			w.class(&classes, blocks[i].Header.Number, id, class)
			w.schemas(&events, &functions, id, class)
		}
	}
	if err := classes.into(ctx, tx, "classes", classColumns); err != nil {
		return err
	}
	if err := events.into(ctx, tx, "event_schemas", eventSchemaColumns); err != nil {
		return err
	}
	return functions.into(ctx, tx, "function_schemas", functionSchemaColumns)
}

// lastClass returns the highest id of a class that is stored or that rows refer
// to: a new class must not get the id of one that was lost. It reads one entry of
// each table's index on (chain, id) or (chain, class).
func (w *batchWriter) lastClass(ctx context.Context, tx repo.Tx) (last int64, err error) {
	err = tx.NewRaw(`/* class.last */
		SELECT greatest(0, (SELECT max(id) FROM classes WHERE chain = ?0),
			(SELECT max(class) FROM event_schemas WHERE chain = ?0), (SELECT max(class) FROM function_schemas WHERE chain = ?0),
			(SELECT max(class) FROM contract_classes WHERE chain = ?0), (SELECT max(class) FROM declarations WHERE chain = ?0))`, w.code).Scan(ctx, &last)
	return last, err
}

func (w *batchWriter) findClasses(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
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
		for _, implementation := range blocks[i].Implementations {
			if implementation.Class != nil {
				named = append(named, *implementation.Class)
			}
		}
	}
	if len(named) == 0 {
		return nil
	}
	rows, err := repo.Select[model.Class](ctx, tx, fmt.Sprintf("/* class.ids */ SELECT id, hash FROM classes WHERE chain = %d AND hash = ANY($1)", w.code),
		model.Bytes(named))
	for i := range rows {
		w.classes[rows[i].Hash] = rows[i].ID
	}
	return err
}

func (w *batchWriter) class(r *copyRows, block uint64, id model.ID, class *facts.Class) {
	digest := class.Digest()
	r.row(10)
	r.int2(w.code)
	r.id(id)
	r.block(block)
	enum(r, model.Standard(class.Standard))
	r.bool(class.Sierra)
	r.bool(class.Account)
	r.bool(class.Missing)
	r.bytes(class.Hash[:])
	if class.ABI == nil {
		r.null()
	} else {
		r.bytes(class.ABI)
	}
	r.bytes(digest[:])
}

// The columns of classes and their schemas, in the order of the fields of a row.
const (
	classColumns          = "chain, id, block, standard, sierra, account, missing, hash, abi, digest"
	eventSchemaColumns    = "chain, class, ordinal, selector, ambiguous, name, path, fields, unsupported"
	functionSchemaColumns = "chain, class, ordinal, selector, view, l1_handler, name, inputs, outputs, unsupported"
)

// schemas adds the rows of a class's events and functions.
func (w *batchWriter) schemas(events, functions *copyRows, id model.ID, class *facts.Class) {
	for i, e := range class.Events {
		events.row(9)
		events.int2(w.code)
		events.id(id)
		events.int2(i)
		events.id(w.selectors.ids[e.Selector])
		events.bool(e.Ambiguous)
		events.text(e.Name)
		events.texts(e.Path)
		events.json(e.Fields)
		events.textOrNull(e.Unsupported)
	}
	for i, f := range class.Functions {
		functions.row(10)
		functions.int2(w.code)
		functions.id(id)
		functions.int2(i)
		functions.id(w.selectors.ids[f.Selector])
		functions.bool(f.View)
		functions.bool(f.L1Handler)
		functions.text(f.Name)
		functions.json(f.Inputs)
		functions.json(f.Outputs)
		functions.textOrNull(f.Unsupported)
	}
}
