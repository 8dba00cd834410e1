package transparency

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// TileHeight is the height of all tiles: a full one has 256 hashes.
const TileHeight = 8

// Store has the log.
type Store interface {
	// Hashes returns the stored hashes of tlog, in the order of the indexes. An
	// index that is not stored is an error.
	Hashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error)
	// Checkpoint returns the checkpoint of a size, or the newest one if the size is
	// 0; nil if there is none.
	Checkpoint(ctx context.Context, size int64) (*Checkpoint, error)
}

// Log answers with the documents of the log.
type Log struct{ store Store }

// NewLog returns the log in a store.
func NewLog(store Store) *Log { return &Log{store} }

// Checkpoint returns the newest checkpoint. The error is not_found while the log
// is empty.
func (l *Log) Checkpoint(ctx context.Context) (*Checkpoint, error) {
	newest, err := l.store.Checkpoint(ctx, 0)
	if err == nil && newest == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "The log has no receipts yet.")
	}
	return newest, err
}

// at returns the checkpoint of a size, or the newest one. The error is not_found
// for a size of which none was signed.
func (l *Log) at(ctx context.Context, name domain.Argument, size int64) (*Checkpoint, error) {
	if size == 0 {
		return l.Checkpoint(ctx)
	}
	c, err := l.store.Checkpoint(ctx, size)
	if err != nil || c != nil {
		return c, err
	}
	newest, err := l.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	return nil, domain.Errorf(domain.CodeNotFound, "No checkpoint was signed for %s = %d. The newest one has the size %d.", name, size, newest.Size)
}

// Tile returns the hashes of a tile. The error is not_found for one that the log
// does not have yet, and invalid_request for one of another height.
func (l *Log) Tile(ctx context.Context, tile tlog.Tile) ([]byte, error) {
	if tile.H != TileHeight || tile.L < 0 {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "The tile height must be %d and the tile must hold hashes, as in tile/%d/0/000.", TileHeight, TileHeight)
	}
	newest, err := l.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	hashes := newest.Size >> (tile.L * TileHeight) // on the level of the tile
	if tile.N > hashes>>TileHeight || tile.N<<TileHeight+int64(tile.W) > hashes {
		return nil, domain.Errorf(domain.CodeNotFound, "The log of %d receipts does not have the tile %s.", newest.Size, domain.Quote(tile.Path()))
	}
	return tlog.ReadTileData(tile, l.reader(ctx))
}

// Inclusion returns the proof that the log of a size, or the newest one if it is
// 0, has a receipt. The error is not_found for a size without a checkpoint and for
// a receipt that is not in the log.
func (l *Log) Inclusion(ctx context.Context, receiptID, treeSize int64) (*InclusionProof, error) {
	c, err := l.at(ctx, "treeSize", treeSize)
	if err != nil {
		return nil, err
	}
	if receiptID < 1 || receiptID > c.Size {
		return nil, domain.Errorf(domain.CodeNotFound, "The log of %d receipts does not have the receipt %d. A receipt is added within seconds after it was issued.", c.Size, receiptID)
	}
	hashes, err := tlog.ProveRecord(c.Size, receiptID-1, l.reader(ctx))
	if err != nil {
		return nil, err
	}
	return &InclusionProof{strictjson.Integer(receiptID), strictjson.Integer(c.Size), formatHashes(hashes), c.Note}, nil
}

// Consistency returns the proof that the log of a size, or the newest one if it is
// 0, begins with the log of a smaller one. The error is not_found for a size to
// without a checkpoint, and invalid_request for a larger size from.
func (l *Log) Consistency(ctx context.Context, from, to int64) (*ConsistencyProof, error) {
	if from < 1 || to != 0 && from > to {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "%s must be between 1 and %s, got %d.", domain.Argument("from"), domain.Argument("to"), from)
	}
	c, err := l.at(ctx, "to", to)
	if err != nil {
		return nil, err
	}
	if from > c.Size {
		return nil, domain.Errorf(domain.CodeNotFound, "The log has %d receipts, fewer than %s (%d).", c.Size, domain.Argument("from"), from)
	}
	hashes, err := tlog.ProveTree(c.Size, from, l.reader(ctx))
	if err != nil {
		return nil, err
	}
	return &ConsistencyProof{strictjson.Integer(from), strictjson.Integer(c.Size), formatHashes(hashes), c.Note}, nil
}

// reader reads hashes for tlog.
func (l *Log) reader(ctx context.Context) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		if len(indexes) == 0 {
			return nil, nil
		}
		return l.store.Hashes(ctx, indexes)
	})
}
