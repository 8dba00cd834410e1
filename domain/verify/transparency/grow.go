package transparency

import (
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Pending is a receipt that waits to be added to the log.
type Pending struct {
	ReceiptID int64
	Digest    string // its receiptDigest
}

// Growth is what is stored when receipts are added to the log.
type Growth struct {
	Added      int         // number of receipts
	First      int64       // index of the first hash
	Hashes     []tlog.Hash // the stored hashes of tlog, from First on
	Checkpoint *Checkpoint // of the log with them
}

// Grow adds receipts to a log whose newest checkpoint is given, nil for an empty
// log. The receipts must be the next ones, in order; those that the log has are
// left out. It returns nil if there is nothing to store. Without new receipts, it
// signs the newest state again if the key that signed it has ended, so that a log
// stays trusted when its key is replaced. Two keys that have not ended leave each
// other's checkpoints as they are. It never signs a log whose hashes do not have
// the root of the newest checkpoint.
func Grow(newest *Checkpoint, pending []Pending, stored tlog.HashReader, signer Signer, now time.Time) (*Growth, error) {
	size := int64(0)
	if newest != nil {
		size = newest.Size
		root, err := tlog.TreeHash(size, stored)
		if err != nil {
			return nil, err
		}
		if root != newest.Root {
			return nil, fmt.Errorf("the stored hashes of the log give the root %s for %d receipts, but its checkpoint has %s: run astrolabe fsck", root, size, newest.Root)
		}
	}
	grown := &growing{stored: stored, first: tlog.StoredHashCount(size), size: size}
	for _, p := range pending {
		if p.ReceiptID <= size {
			continue
		}
		if err := grown.add(p); err != nil {
			return nil, err
		}
	}
	added := int(grown.size - size)
	if added == 0 && (newest == nil || !newest.KeyEnded) {
		return nil, nil
	}
	root, err := tlog.TreeHash(grown.size, grown)
	if err != nil {
		return nil, err
	}
	checkpoint, err := signer.Sign(grown.size, root, now)
	if err != nil {
		return nil, err
	}
	return &Growth{added, grown.first, grown.hashes, checkpoint}, nil
}

// growing reads stored hashes and those that are about to be stored.
type growing struct {
	stored tlog.HashReader
	first  int64
	hashes []tlog.Hash // from first on
	size   int64       // with the added receipts
}

// add appends the hashes of a receipt.
func (g *growing) add(p Pending) error {
	if p.ReceiptID != g.size+1 {
		return fmt.Errorf("receipt %d waits for the log, but the next one is %d: run astrolabe fsck", p.ReceiptID, g.size+1)
	}
	hashes, err := tlog.StoredHashes(g.size, []byte(p.Digest), g)
	if err != nil {
		return err
	}
	g.hashes = append(g.hashes, hashes...)
	g.size++
	return nil
}

// ReadHashes implements tlog.HashReader. It reads all stored hashes at once.
func (g *growing) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes, places, missing := make([]tlog.Hash, len(indexes)), []int{}, []int64{}
	for i, index := range indexes {
		if index >= g.first {
			hashes[i] = g.hashes[index-g.first]
			continue
		}
		places, missing = append(places, i), append(missing, index)
	}
	if len(missing) == 0 {
		return hashes, nil
	}
	read, err := g.stored.ReadHashes(missing)
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		hashes[place] = read[i]
	}
	return hashes, nil
}
