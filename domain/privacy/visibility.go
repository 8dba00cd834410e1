package privacy

import "astrolabe/domain/facts"

// Visibility is how much of what happened an event of a pool makes public.
type Visibility string

// The visibilities.
const (
	Public         Visibility = "public"           // everything about it
	Partial        Visibility = "partial"          // some of it; the rest is encrypted
	HiddenByDesign Visibility = "hidden_by_design" // only that it happened
)

// Visibilities lists the visibilities, from the most open.
var Visibilities = []Visibility{Public, Partial, HiddenByDesign}

// VisibilityOf returns the visibility of a variant. What a protocol event means
// is not known, so that it is partial.
func VisibilityOf(v facts.PoolVariant) Visibility {
	switch v {
	case facts.EncNoteCreated, facts.NoteUsed:
		return HiddenByDesign
	case facts.PoolWithdrawal, facts.OpenNoteCreated, facts.ViewingKeySet, facts.ProtocolEvent:
		return Partial
	default:
		return Public
	}
}
