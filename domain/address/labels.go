package address

import (
	"context"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Notes keeps the labels of operators.
type Notes interface {
	// NotesOf returns for each address its note, its class and the class'
	// note.
	NotesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]StoredLabels, error)
	// FindNotes returns notes of addresses whose label begins with a text, in
	// any case, by label.
	FindNotes(ctx context.Context, c domain.Chain, prefix string, limit int) ([]Note, error)
	// ListNotes returns all notes, by chain, subject and felt.
	ListNotes(ctx context.Context) ([]Note, error)
	// PutNote stores a note instead of the one that its subject has.
	PutNote(ctx context.Context, n Note) error
	// RemoveNote removes a note; it is false when there is none.
	RemoveNote(ctx context.Context, c domain.Chain, s Subject, felt starknet.Felt) (bool, error)
}

// StoredLabels is the stored data for the label of one address. Each part may be nil.
type StoredLabels struct {
	Own     *Label         // the address' own note
	Class   *starknet.Felt // the class that is in force
	ByClass *Label         // the note of that class
}

// Labels reads and manages labels.
type Labels struct {
	notes Notes
	now   func() time.Time
}

// NewLabels makes the service.
func NewLabels(notes Notes, now func() time.Time) *Labels { return &Labels{notes, now} }

// Of returns the label of each address, in their order, and nil for those that
// have none. An operator's label wins over the registry's, and both over that
// of the address' class.
func (l *Labels) Of(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Label, error) {
	return spread(addresses, func(addresses []starknet.Felt) ([]*Label, error) {
		noted, err := l.notes.NotesOf(ctx, c, addresses)
		if err != nil {
			return nil, err
		}
		labels := make([]*Label, len(addresses))
		for i, address := range addresses {
			labels[i] = l.label(c, address, noted[i])
		}
		return labels, nil
	})
}

// label decides on the label of an address.
func (l *Labels) label(c domain.Chain, address starknet.Felt, known StoredLabels) *Label {
	if known.Own != nil {
		own := *known.Own
		own.Source = FromOperator
		return &own
	}
	if shipped, ok := registryOf(c).labels[address]; ok {
		return &shipped
	}
	return l.classLabel(c, known)
}

// classLabel decides on the label of a class.
func (l *Labels) classLabel(c domain.Chain, known StoredLabels) *Label {
	switch {
	case known.ByClass != nil:
		own := *known.ByClass
		own.Source = FromClass
		return &own
	case known.Class != nil:
		if shipped, ok := registryOf(c).classes[*known.Class]; ok {
			return &shipped
		}
	}
	return nil
}

// Found is an address that a search found by its label.
type Found struct {
	Address starknet.Felt
	Label   Label
}

// Search returns at most limit addresses whose own label begins with a text, in
// any case, by label.
func (l *Labels) Search(ctx context.Context, c domain.Chain, prefix string, limit int) ([]Found, error) {
	notes, err := l.notes.FindNotes(ctx, c, prefix, limit)
	if err != nil {
		return nil, err
	}
	found := make([]Found, 0, len(notes))
	for _, n := range notes {
		n.Label.Source = FromOperator
		found = append(found, Found{n.Felt, n.Label})
	}
	shipped := registryOf(c).beginning(prefix)
	current, err := l.Of(ctx, c, shipped)
	if err != nil {
		return nil, err
	}
	for i, address := range shipped {
		if current[i].Source == FromRegistry { // else an operator calls it something else
			found = append(found, Found{address, *current[i]})
		}
	}
	slices.SortFunc(found, func(a, b Found) int {
		if order := strings.Compare(strings.ToLower(a.Label.Text), strings.ToLower(b.Label.Text)); order != 0 {
			return order
		}
		return a.Address.Cmp(b.Address)
	})
	return found[:min(limit, len(found))], nil
}

// Add sets the operator's label of an address or a class. A label that cannot
// be displayed is invalid_request.
func (l *Labels) Add(ctx context.Context, n Note) error {
	if err := n.check(); err != nil {
		return err
	}
	n.At = l.now().UTC()
	return l.notes.PutNote(ctx, n)
}

// Remove takes the operator's label away; it is not_found when there is none.
func (l *Labels) Remove(ctx context.Context, c domain.Chain, s Subject, felt starknet.Felt) error {
	removed, err := l.notes.RemoveNote(ctx, c, s, felt)
	if err == nil && !removed {
		return domain.Errorf(domain.CodeNotFound, "The %s %s has no operator label on %s.", s, felt, c)
	}
	return err
}

// List returns the operator's labels.
func (l *Labels) List(ctx context.Context) ([]Note, error) { return l.notes.ListNotes(ctx) }
