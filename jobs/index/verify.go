package index

import (
	"cmp"
	"errors"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
)

// level returns the level of verification that the operator chose.
func (l *Loop) level() facts.Verification { return cmp.Or(l.Verify, facts.Unverified) }

// verify checks a fetched block and sets the verdict, or the error.
func (l *Loop) verify(got *fetched) {
	got.verdict, got.err = integrity.Verify(l.level(), l.Chain, got.block, got.update)
	got.err = blame(got.err, got.upstream)
}

// blame adds the upstream that answered to a mismatch.
func blame(err error, upstream string) error {
	if m, ok := errors.AsType[*integrity.MismatchError](err); ok {
		m.Upstream = upstream
	}
	return err
}

// follow checks the verdict about a block against the block before, nil if it is
// unknown, and logs when the level falls.
func (l *Loop) follow(parent *indexing.Parent, got fetched) error {
	doubt := got.verdict.Doubt
	if doubt == nil {
		return nil
	}
	doubt.Upstream = got.upstream
	if parent != nil {
		if err := got.verdict.Follows(*parent, got.block); err != nil {
			return blame(err, got.upstream)
		}
	}
	if level := got.verdict.Level; parent == nil || facts.Lesser(parent.Verification, level) != parent.Verification {
		l.Logger.Warn("from this block on, blocks reach a lower verification level than --verify requires",
			"chain", l.Chain, "block", got.block.BlockNumber, "level", level, "reason", doubt)
	}
	return nil
}
