package verify

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/transparency"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Log stores the transparency log of receipts.
type Log struct{ db *repo.DB }

var (
	_ transparency.Store        = Log{}
	_ transparency.GrowingStore = Log{}
)

// NewLog returns the repository of the log.
func NewLog(db *repo.DB) Log { return Log{db} }

// Hashes implements transparency.Store.
func (r Log) Hashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error) {
	return hashesAt(ctx, r.db.Write(), indexes)
}

// logHashes reads hashes by the primary key.
const logHashes = `/* verification.log_hashes */
	SELECT index, hash FROM verification_log_hashes WHERE index = ANY($1::bigint[])`

// hashesAt returns hashes in the order of their indexes.
func hashesAt(ctx context.Context, on bun.IDB, indexes []int64) ([]tlog.Hash, error) {
	rows, err := repo.Select[model.VerificationLogHash](ctx, on, logHashes, indexes)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]tlog.Hash, len(rows))
	for _, row := range rows {
		if len(row.Hash) == tlog.HashSize {
			found[row.Index] = tlog.Hash(row.Hash)
		}
	}
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hash, ok := found[index]
		if !ok {
			return nil, fmt.Errorf("the log has no hash with the index %d: run astrolabe fsck", index)
		}
		hashes[i] = hash
	}
	return hashes, nil
}

// The statements of checkpoints use the primary key.
const (
	logNewest = `/* verification.log_newest */
	SELECT size, note FROM verification_log_checkpoints ORDER BY size DESC LIMIT 1`
	logCheckpoint = `/* verification.log_checkpoint */
	SELECT size, note FROM verification_log_checkpoints WHERE size = $1`
)

// Checkpoint implements transparency.Store.
func (r Log) Checkpoint(ctx context.Context, size int64) (*transparency.Checkpoint, error) {
	if size == 0 {
		return checkpointOf(repo.Select[model.VerificationLogCheckpoint](ctx, r.db.Write(), logNewest))
	}
	return checkpointOf(repo.Select[model.VerificationLogCheckpoint](ctx, r.db.Write(), logCheckpoint, size))
}

// checkpointOf returns what the signed text of a row says, nil if there is none.
func checkpointOf(rows []model.VerificationLogCheckpoint, err error) (*transparency.Checkpoint, error) {
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	c, err := transparency.ParseCheckpoint(rows[0].Note)
	if err == nil && c.Size != rows[0].Size {
		err = fmt.Errorf("its note has the size %d", c.Size)
	}
	if err != nil {
		return nil, fmt.Errorf("the stored checkpoint of the size %d: %w; run astrolabe fsck", rows[0].Size, err)
	}
	return c, nil
}
