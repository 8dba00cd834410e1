package index

import "context"

// identify stores the hash of block 0, by which a simulated chain is told from a
// real one. A leader asks for it once, when the node has confirmed the newest
// stored block: then block 0 is that of the chain from which the rows come. A node
// that does not have block 0 leaves it unknown.
func (t *turns) identify(ctx context.Context) error {
	if t.at.Genesis != nil || t.at.Block == nil || t.head.Number < t.at.First || t.identity {
		return nil
	}
	hash, found, err := t.Node.HashAt(ctx, 0)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.warn(ctx, "could not read the hash of block 0", err)
	}
	t.identity = true
	if err != nil || !found {
		return nil //nolint:nilerr // the index is as good without it
	}
	return t.Checkpoints.RecordGenesis(ctx, t.lease, hash)
}
