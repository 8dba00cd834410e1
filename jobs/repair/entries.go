package repair

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Entries stores the dictionaries.
type Entries interface {
	// Entry returns an entry of a dictionary and where it is used.
	Entry(ctx context.Context, c domain.Chain, dictionary string, id int64) (indexing.Entry, error)
	// Unknown returns those of the felts that have no entry.
	Unknown(ctx context.Context, c domain.Chain, dictionary string, felts []starknet.Felt) ([]starknet.Felt, error)
	// Fits reports whether the checksum of an entry is that of a felt.
	Fits(entry indexing.Entry, felt starknet.Felt) bool
	// SetEntry gives an id its felt back.
	SetEntry(ctx context.Context, lease indexing.Lease, entry indexing.Entry, felt starknet.Felt) error
	// RemoveEntry deletes an entry; rows that use it must be repaired next.
	RemoveEntry(ctx context.Context, lease indexing.Lease, entry indexing.Entry) error
}

// entry repairs an entry of a dictionary. A block of the node that uses it, or a
// class, names the true felt: the one with the stored checksum, or the only one
// that has no entry. If that does not decide, the rows that use the id are wrong:
// the entry is removed and their blocks are repaired.
func (j *Job) entry(ctx context.Context, lease indexing.Lease, dictionary string, id int64) error {
	entry, err := j.Entries.Entry(ctx, j.Chain, dictionary, id)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s:%d", dictionary, id)
	if entry.Felt != nil && !entry.Twin && j.Entries.Fits(entry, *entry.Felt) {
		j.report("entry %s is correct; nothing to repair", name)
		return nil
	}
	var felt *starknet.Felt
	if !entry.Twin {
		if felt, err = j.meaning(ctx, lease, entry); err != nil {
			return err
		}
	}
	switch {
	case felt != nil && dictionary == "classes":
		j.report("entry %s was restored to %s", name, felt)
		return nil
	case felt != nil:
		j.report("entry %s was restored to %s", name, felt)
		return j.Entries.SetEntry(ctx, lease, entry, *felt)
	}
	if err := j.Entries.RemoveEntry(ctx, lease, entry); err != nil {
		return err
	}
	j.report("entry %s removed; it is used in %d blocks", name, len(entry.Blocks))
	for _, number := range entry.Blocks {
		if err := j.block(ctx, lease, number); err != nil {
			return err
		}
	}
	for _, hash := range entry.Classes {
		if err := j.class(ctx, lease, hash); err != nil {
			return err
		}
	}
	return nil
}

// meaning returns the felt of an entry according to the blocks and classes that
// use it; nil if they do not decide. An entry of classes is stored at once.
func (j *Job) meaning(ctx context.Context, lease indexing.Lease, entry indexing.Entry) (*starknet.Felt, error) {
	var named []starknet.Felt
	var at starknet.Felt
	switch {
	case len(entry.Classes) > 0: // a selector that an ABI names
		known, err := j.Store.KnownClasses(ctx, j.Chain, entry.Classes[:1], 0)
		if err != nil {
			return nil, err
		}
		named = selectorsOf(known[entry.Classes[0]].Class)
	case len(entry.Blocks) > 0:
		number := entry.Blocks[0]
		around, _, err := j.Store.Surroundings(ctx, j.Chain, number)
		if err != nil {
			return nil, err
		}
		checkpoint, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
		if err != nil {
			return nil, err
		}
		block, update, err := j.fetch(ctx, number, around, false)
		if err != nil {
			return nil, err
		}
		at = block.BlockHash
		if entry.Dictionary == "classes" {
			named = namedBy(update)
			break
		}
		expected, err := j.derive(ctx, checkpoint, around.Level, block, update)
		if err != nil {
			return nil, err
		}
		named = feltsOf(&expected, entry.Dictionary)
	}
	for i := range named {
		if j.Entries.Fits(entry, named[i]) {
			return &named[i], nil
		}
	}
	unknown, err := j.Entries.Unknown(ctx, j.Chain, entry.Dictionary, named)
	if err != nil || entry.Sum != nil || len(unknown) != 1 {
		return nil, err
	}
	if entry.Dictionary != "classes" {
		return &unknown[0], nil
	}
	class, err := j.fetchClass(ctx, at, unknown[0], indexing.StoredClass{Class: facts.MissingClass(unknown[0])})
	if err != nil {
		return nil, err
	}
	return &unknown[0], j.Store.InsertClass(ctx, lease, entry.ID, class)
}

// selectorsOf returns the selectors that the schemas of a class hold.
func selectorsOf(class *facts.Class) (list []starknet.Felt) {
	if class == nil {
		return nil
	}
	for i := range class.Events {
		list = append(list, class.Events[i].Selector)
	}
	for i := range class.Functions {
		list = append(list, class.Functions[i].Selector)
	}
	return list
}

// feltsOf returns the felts of a block's rows that are entries of a dictionary.
func feltsOf(b *facts.Block, dictionary string) (list []starknet.Felt) {
	add := func(of string, felts ...*starknet.Felt) {
		for _, felt := range felts {
			if of == dictionary && felt != nil {
				list = append(list, *felt)
			}
		}
	}
	for i := range b.Transactions {
		t := &b.Transactions[i]
		add("addresses", t.Sender, t.Contract)
		add("selectors", t.Selector)
	}
	for i := range b.Events {
		add("addresses", &b.Events[i].FromAddress)
		if len(b.Events[i].Keys) > 0 {
			add("selectors", &b.Events[i].Keys[0])
		}
	}
	for i := range b.Messages {
		add("selectors", b.Messages[i].Selector)
		if b.Messages[i].Direction == facts.L1ToL2 {
			add("addresses", &b.Messages[i].To)
		} else {
			add("addresses", &b.Messages[i].From)
		}
	}
	for i := range b.Transfers {
		add("addresses", &b.Transfers[i].Token, &b.Transfers[i].From, &b.Transfers[i].To)
	}
	for i := range b.Deployments {
		add("addresses", &b.Deployments[i].Address, b.Deployments[i].Deployer)
	}
	for i := range b.Changes {
		add("addresses", &b.Changes[i].Address)
	}
	for i := range b.Implementations {
		add("addresses", &b.Implementations[i].Address, b.Implementations[i].Contract)
	}
	for i := range b.Untyped {
		add("addresses", &b.Untyped[i].Address)
	}
	for i := range b.PoolEvents {
		add("addresses", &b.PoolEvents[i].Pool, b.PoolEvents[i].Party, b.PoolEvents[i].Token)
	}
	return list
}
