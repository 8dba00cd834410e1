package repotest

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/events"
	"astrolabe/starknet"
)

// Spacing is the distance between the blocks of Spaced.
const Spacing = 300

// SpacedFinalized is the newest block of the finalized tier that Spaced has.
const SpacedFinalized = 45 * Spacing

// SpacedBlocks returns the blocks of Everyday renumbered Spacing apart. The
// blocks in between are empty, which makes the history long enough for wide
// searches.
func SpacedBlocks(blocks []facts.Block) []facts.Block {
	spaced := make([]facts.Block, len(blocks))
	for i := range blocks {
		spaced[i] = blocks[i]
		spaced[i].Header.Number = blocks[i].Header.Number * Spacing
	}
	return spaced
}

// The selectors of the certificates of Spaced.
var (
	TransferSelector = starknet.Selector("Transfer")
	ApprovalSelector = starknet.Selector("Approval")
)

// Spaced is the template of a database with SpacedBlocks, whose certificates
// are ready for the positions 1 and 2 of Transfer, while that of position 1 of
// Approval is still building. The lease of the index is free.
func Spaced(ctx context.Context, url string) error {
	if err := Migrated(ctx, url); err != nil {
		return err
	}
	blocks, err := everyday()
	if err != nil {
		return err
	}
	blocks = SpacedBlocks(blocks)
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := NewIndex(ctx, db, 0, 10)
	index.Commit(index.Open(0, 20*Spacing, indexing.RangeReady), blocks[:20])
	index.Commit(index.Open(20*Spacing, 40*Spacing, indexing.RangeReady), blocks[20:40])
	index.Finalized = new(uint64(SpacedFinalized))
	index.Commit(index.Open(40*Spacing, 1000*Spacing, indexing.RangeReady), blocks[40:])
	last := blocks[len(blocks)-1].Header
	index.do(func() error {
		return index.writer.RecordHead(ctx, index.lease, chain.Head{
			State: chain.Following, Depth: chain.FinalityDepth,
			Block: &domain.BlockRef{Number: last.Number, Hash: last.Hash},
		})
	})
	index.Release()
	if err := errors.Join(index.Err(), awake(ctx, url)); err != nil {
		return err
	}
	return certify(ctx, db)
}

func certify(ctx context.Context, db *repo.DB) error {
	certificates := events.NewCertificates(db)
	err := certificates.DeclareCertificates(ctx, domain.Mainnet, []event.SelectorPosition{
		{Selector: TransferSelector, Position: 1}, {Selector: TransferSelector, Position: 2}, {Selector: ApprovalSelector, Position: 1},
	})
	if err != nil {
		return err
	}
	made, err := certificates.Certificates(ctx, domain.Mainnet)
	if err != nil {
		return err
	}
	for _, cert := range made {
		for more := true; more; {
			if more, err = certificates.ExtendCertificate(ctx, domain.Mainnet, cert.ID, 100); err != nil {
				return err
			}
		}
		if cert.Selector == ApprovalSelector {
			continue
		}
		if err := certificates.IndexCertificate(ctx, cert.ID); err != nil {
			return err
		}
		if status, err := certificates.VerifyCertificate(ctx, domain.Mainnet, cert.ID); err != nil || status != event.Ready {
			return fmt.Errorf("the certificate of position %d is %s: %w", cert.Position, status, err)
		}
	}
	return nil
}
