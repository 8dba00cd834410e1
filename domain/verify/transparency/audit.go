package transparency

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/receipt"
)

// Source is a log as others publish it. What it returns is not trusted.
type Source interface {
	// Checkpoint returns the newest checkpoint.
	Checkpoint(ctx context.Context) (string, error)
	// Tile returns the content of a tile.
	Tile(ctx context.Context, tile tlog.Tile) ([]byte, error)
}

// Audited is the result of an audit.
type Audited struct {
	Checkpoint *Checkpoint // the newest one, whose signature is valid
	Tiles      int         // number of read tiles
	// Differences are all contradictions between the tiles, the newest checkpoint
	// and the saved one; none if the log is sound.
	Differences []*receipt.Error
}

// Audit reads a whole log and recomputes its root. It also checks that the log
// begins with the log of a checkpoint that an earlier audit has saved, unless that
// is empty. The saved one only needs a valid signature of a listed key: it says
// what the auditor saw, also if its key was revoked since.
//
// The error is a *receipt.Error if a checkpoint or the trust root is refused, and
// that of the source if it cannot be read.
func Audit(ctx context.Context, source Source, saved string, trustRoot []byte, rules receipt.Rules) (*Audited, error) {
	root, _, err := rules.Open(trustRoot)
	if err != nil {
		return nil, err
	}
	var earlier *Checkpoint
	if saved != "" {
		if earlier, _, err = verifySignature(saved, root); err != nil {
			return nil, fmt.Errorf("the saved checkpoint: %w", err)
		}
	}
	signed, err := source.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := VerifyCheckpoint(signed, root, rules)
	if err != nil {
		return nil, err
	}
	a := &audit{Audited: Audited{Checkpoint: newest}, levels: [][]tlog.Hash{{}}}
	if err := a.read(ctx, source); err != nil {
		return nil, err
	}
	a.compareLevels()
	a.compareRoot(newest, "The tiles give the root %s for %d receipts, but the checkpoint has %s.", WrongTile)
	if earlier != nil {
		a.compareEarlier(earlier)
	}
	return &a.Audited, nil
}

// audit is a running audit.
type audit struct {
	Audited
	levels [][]tlog.Hash // of tiles, from the leaves on; an unreadable tile has zeros
}

func (a *audit) differ(reason receipt.Reason, format string, arguments ...any) {
	a.Differences = append(a.Differences, &receipt.Error{Reason: reason, Message: fmt.Sprintf(format, arguments...)})
}

// read reads every tile, in the order of their levels.
func (a *audit) read(ctx context.Context, source Source) error {
	for _, tile := range tlog.NewTiles(TileHeight, 0, a.Checkpoint.Size) {
		data, err := source.Tile(ctx, tile)
		if err != nil {
			return fmt.Errorf("%s: %w", tile.Path(), err)
		}
		if want := tile.W * tlog.HashSize; len(data) != want {
			a.differ(WrongTile, "The tile %s has %d bytes instead of %d.", tile.Path(), len(data), want)
			data = make([]byte, want)
		}
		for len(a.levels) <= tile.L {
			a.levels = append(a.levels, nil)
		}
		for i := range tile.W {
			a.levels[tile.L] = append(a.levels[tile.L], tlog.Hash(data[i*tlog.HashSize:][:tlog.HashSize]))
		}
		a.Tiles++
	}
	return nil
}

// compareLevels compares each full tile with its hash in the level above.
func (a *audit) compareLevels() {
	for level := range len(a.levels) - 1 {
		for n, want := range a.levels[level+1] {
			tile := tlog.Tile{H: TileHeight, L: level, N: int64(n), W: 1 << TileHeight}
			if got := rootOf(a.levels[level][n<<TileHeight:][:tile.W]); got != want {
				a.differ(WrongTile, "The tile %s has the hash %s, but hash %d of level %d is %s.", tile.Path(), got, n, level+1, want)
			}
		}
	}
}

// compareRoot compares the root of the leaves with that of a checkpoint.
func (a *audit) compareRoot(c *Checkpoint, format string, reason receipt.Reason) {
	if got := rootOf(a.levels[0][:c.Size]); got != c.Root {
		a.differ(reason, format, got, c.Size, c.Root)
	}
}

// compareEarlier finds a log that was cut or rewritten since a checkpoint.
func (a *audit) compareEarlier(earlier *Checkpoint) {
	if newest := a.Checkpoint; earlier.Size > newest.Size {
		a.differ(NotConsistent, "The log has %d receipts, but it had %d when the saved checkpoint was signed at %s.", newest.Size, earlier.Size, earlier.SignedAt.Format(timeForm))
		return
	}
	a.compareRoot(earlier, "The log was rewritten: its tiles give the root %s for its first %d receipts, but the saved checkpoint has %s.", NotConsistent)
}

// rootOf returns the root of a tree of leaves, as RFC 6962 defines it.
func rootOf(leaves []tlog.Hash) tlog.Hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	left := 1
	for 2*left < len(leaves) {
		left *= 2
	}
	return tlog.NodeHash(rootOf(leaves[:left]), rootOf(leaves[left:]))
}
