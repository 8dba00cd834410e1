package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// declaredBy returns the classes that a state update declares.
func declaredBy(update *starknet.StateUpdate) []starknet.Felt {
	declared := slices.Clone(update.StateDiff.DeprecatedDeclaredClasses)
	for i := range update.StateDiff.DeclaredClasses {
		declared = append(declared, update.StateDiff.DeclaredClasses[i].ClassHash)
	}
	return declared
}

// fetchClass reads a class from the node. It must have its hash, or else be the
// one that was committed. One that is stored as missing stays so until it is
// proven. stored is zero for a class that is not stored.
func (j *Job) fetchClass(ctx context.Context, at, hash starknet.Felt, stored indexing.StoredClass) (*facts.Class, error) {
	class, err := j.Node.Class(ctx, at, hash)
	unproven := errors.Is(err, chain.ErrUnprovenClass)
	missing := stored.Class != nil && stored.Missing && stored.Holds()
	if missing && (unproven || errors.Is(err, chain.ErrNoClass)) {
		return facts.MissingClass(hash), nil
	}
	if err != nil && !unproven {
		return nil, fmt.Errorf("read class %s from the node: %w", hash, err)
	}
	fetched := facts.NewClass(hash, class)
	if unproven && !stored.Confirms(fetched) {
		return nil, fmt.Errorf("class %s matches neither its hash nor the class that was committed; use a node that has its complete definition: %w", hash, err)
	}
	return fetched, nil
}

// class repairs the class that is stored under a hash. If the node does not have
// it, the hash itself may be damaged: the block that names the class first says
// which it is, and the stored digest confirms it.
func (j *Job) class(ctx context.Context, lease indexing.Lease, hash starknet.Felt) error {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil {
		return err
	}
	known, err := j.Store.KnownClasses(ctx, j.Chain, []starknet.Felt{hash}, 0)
	if err != nil {
		return err
	}
	stored, held := known[hash]
	if !held || at == nil || at.Block == nil {
		return fmt.Errorf("class %s is not stored", hash)
	}
	class, err := j.fetchClass(ctx, at.Block.Hash, hash, stored.StoredClass)
	switch {
	case errors.Is(err, chain.ErrNoClass):
		class, err = j.renamed(ctx, stored)
	case err == nil && stored.Digest != nil && class.Digest() != *stored.Digest: // another class was committed
		if committed, unknown := j.renamed(ctx, stored); unknown == nil {
			class = committed
		}
	}
	if err != nil {
		return err
	}
	if class.Hash != hash {
		j.report("class %s: the stored hash %s was wrong; the block and the digest confirm the new one", class.Hash, hash)
		return j.Store.RepairClass(ctx, lease, hash, class)
	}
	if err := j.correct(ctx, lease, stored, class); err != nil {
		return err
	}
	if class.Missing {
		j.report("class %s is still missing: the node does not prove it", hash)
		return nil
	}
	j.report("class %s rewritten", hash)
	return nil
}

// renamed returns the class whose row has a damaged hash. If no class has the
// stored digest, the row is of a class that the node does not have.
func (j *Job) renamed(ctx context.Context, stored indexing.KnownClass) (*facts.Class, error) {
	block, update, exists, err := j.Node.Block(ctx, stored.Block)
	if err != nil || !exists {
		return nil, fmt.Errorf("read block %d from the node: %w", stored.Block, err)
	}
	candidates, err := j.Entries.Unknown(ctx, j.Chain, "classes", namedBy(update))
	if err != nil {
		return nil, err
	}
	for _, hash := range candidates {
		class, err := j.fetchClass(ctx, block.BlockHash, hash, indexing.StoredClass{Class: facts.MissingClass(hash), Digest: stored.Digest})
		if errors.Is(err, chain.ErrNoClass) || errors.Is(err, chain.ErrUnprovenClass) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if stored.Digest == nil && len(candidates) == 1 || stored.Digest != nil && class.Digest() == *stored.Digest {
			return class, nil
		}
	}
	if missing := facts.MissingClass(stored.Hash); stored.Missing && stored.Digest != nil && missing.Digest() == *stored.Digest {
		return missing, nil
	}
	return nil, fmt.Errorf("the node does not have class %s, and block %d names no class in its place; use a complete node", stored.Hash, stored.Block)
}

// namedBy returns the classes that a state update names.
func namedBy(update *starknet.StateUpdate) []starknet.Felt {
	named := declaredBy(update)
	for i := range update.StateDiff.DeployedContracts {
		named = append(named, update.StateDiff.DeployedContracts[i].ClassHash)
	}
	for i := range update.StateDiff.ReplacedClasses {
		named = append(named, update.StateDiff.ReplacedClasses[i].ClassHash)
	}
	return named
}
