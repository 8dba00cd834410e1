package index

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// KnownClasses returns the stored classes of the hashes, with the compiled ABI.
func (r Repairer) KnownClasses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, before uint64) (map[starknet.Felt]indexing.KnownClass, error) {
	type row struct {
		model.Class
		Earlier bool `bun:"earlier"`
	}
	// Finds classes by their unique hash, references by contract_classes_class and
	// declarations_class, and scans the few implementations.
	rows, err := repo.Select[row](ctx, r.writer.db.Write(), fmt.Sprintf(`/* repair.classes */
		SELECT k.block, k.hash, k.sierra, k.missing, k.abi, k.digest,
			EXISTS (SELECT FROM contract_classes h WHERE h.chain = %[1]d AND h.class = k.id AND h.block < $2)
			OR EXISTS (SELECT FROM contract_implementations i WHERE i.chain = %[1]d AND i.class = k.id AND i.block < $2)
			OR EXISTS (SELECT FROM declarations d WHERE d.chain = %[1]d AND d.class = k.id AND d.block < $2) AS earlier
		FROM classes k WHERE k.chain = %[1]d AND k.hash = ANY($1)`, model.Code(c)), model.Bytes(hashes), int64(before))
	known := make(map[starknet.Felt]indexing.KnownClass, len(rows))
	for i := range rows {
		k := &rows[i]
		known[k.Hash] = indexing.KnownClass{
			StoredClass: indexing.StoredClass{Class: facts.StoredClass(k.Hash, k.Sierra, k.ABI, k.Missing), Digest: storedDigest(k.Digest)},
			Block:       uint64(k.Block), Earlier: k.Earlier,
		}
	}
	return known, err
}

// RepairClass replaces the row and the schemas of the class that is stored under
// a hash; class may have another one.
func (r Repairer) RepairClass(ctx context.Context, lease indexing.Lease, stored starknet.Felt, class *facts.Class) error {
	w := r.writer.batch(lease.Chain, indexing.Range{})
	w.askDerived(&facts.Block{Classes: []*facts.Class{class}})
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if err := w.selectors.add(ctx, tx); err != nil {
			return err
		}
		if err := w.replaceClass(ctx, tx, stored, class, nil); err != nil {
			return err
		}
		return repo.AdvanceEpoch(ctx, tx, lease.Chain)
	})
}

// InsertClass stores a class that rows refer to by an id, and that is gone.
func (r Repairer) InsertClass(ctx context.Context, lease indexing.Lease, id int64, class *facts.Class) error {
	w := r.writer.batch(lease.Chain, indexing.Range{})
	w.askDerived(&facts.Block{Classes: []*facts.Class{class}})
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		var first *model.BlockNumber
		err := tx.NewRaw(`/* repair.first */
			SELECT least((SELECT min(block) FROM contract_classes WHERE chain = ?0 AND class = ?1),
				(SELECT min(block) FROM declarations WHERE chain = ?0 AND class = ?1))`, w.code, id).Scan(ctx, &first)
		if err != nil {
			return err
		}
		if first == nil {
			return fmt.Errorf("no block refers to class %d", id)
		}
		if err := w.selectors.add(ctx, tx); err != nil {
			return err
		}
		var rows copyRows
		w.class(&rows, uint64(*first), model.ID(id), class)
		if err := rows.into(ctx, tx, "classes", classColumns); err != nil {
			return err
		}
		if err := w.rewriteSchemas(ctx, tx, []*facts.Class{class}); err != nil {
			return err
		}
		return repo.AdvanceEpoch(ctx, tx, lease.Chain)
	})
}

// replaceClass replaces the row of a class and its schemas; block is nil to keep
// the first block that names it.
func (w *batchWriter) replaceClass(ctx context.Context, tx repo.Tx, stored starknet.Felt, class *facts.Class, block *uint64) error {
	digest := class.Digest()
	_, err := tx.NewRaw(`/* repair.class */
		UPDATE classes SET hash = ?2, sierra = ?3, missing = ?4, abi = ?5, digest = ?6, block = coalesce(?7::integer, block)
		WHERE chain = ?0 AND hash = ?1`,
		w.code, stored, class.Hash, class.Sierra, class.Missing, class.ABI, digest[:], block).Exec(ctx)
	if err != nil {
		return err
	}
	return w.rewriteSchemas(ctx, tx, []*facts.Class{class})
}

// replaceClasses stores the classes that a block names first, and removes those
// that are stored as its own and are not.
func (w *batchWriter) replaceClasses(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	block := &blocks[0]
	if err := w.findClasses(ctx, tx, blocks); err != nil {
		return err
	}
	for _, class := range block.Classes {
		if _, stored := w.classes[class.Hash]; !stored {
			continue
		}
		if err := w.replaceClass(ctx, tx, class.Hash, class, &block.Header.Number); err != nil {
			return err
		}
	}
	if err := w.writeClasses(ctx, tx, blocks); err != nil {
		return err
	}
	hashes := make([]starknet.Felt, len(block.Classes))
	for i, class := range block.Classes {
		hashes[i] = class.Hash
	}
	return w.removeClasses(ctx, tx, block.Header.Number, hashes)
}

// removeClasses moves the classes that are wrongly stored as first named by a
// block to the block that names them first, and deletes those that none names.
func (w *batchWriter) removeClasses(ctx context.Context, tx repo.Tx, number uint64, named []starknet.Felt) error {
	if _, err := repo.Exec(ctx, tx, fmt.Sprintf(`/* repair.rename */
		UPDATE classes k SET block = f.first FROM (
			SELECT id, least((SELECT min(block) FROM contract_classes h WHERE h.chain = %[1]d AND h.class = c.id),
				(SELECT min(block) FROM declarations d WHERE d.chain = %[1]d AND d.class = c.id)) AS first
			FROM classes c WHERE c.chain = %[1]d AND c.block = $1 AND NOT c.hash = ANY($2)) AS f
		WHERE k.chain = %[1]d AND k.id = f.id AND f.first IS NOT NULL AND f.first <> $1`, w.code), int64(number), model.Bytes(named)); err != nil {
		return err
	}
	for _, table := range []string{"event_schemas", "function_schemas"} {
		if _, err := repo.Exec(ctx, tx, fmt.Sprintf(`/* repair.schemas */
			DELETE FROM %[2]s s USING classes k
			WHERE k.chain = %[1]d AND k.block = $1 AND NOT k.hash = ANY($2) AND s.chain = k.chain AND s.class = k.id`, w.code, table),
			int64(number), model.Bytes(named)); err != nil {
			return err
		}
	}
	_, err := repo.Exec(ctx, tx, fmt.Sprintf("/* repair.unnamed */ DELETE FROM classes WHERE chain = %d AND block = $1 AND NOT hash = ANY($2)", w.code),
		int64(number), model.Bytes(named))
	return err
}
