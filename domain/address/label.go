package address

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Label is what an address is called.
type Label struct {
	Text       string
	Confidence Confidence
	Source     Source
	Protocol   *Protocol // nil when it is of none
}

// Protocol is what an address is a part of.
type Protocol struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // in snake case, for example bridge; empty when unknown
}

// Confidence tells how sure a label is.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"   // published by those whose address it is
	Medium Confidence = "medium" // what the code is, but not whose
	Low    Confidence = "low"    // seen, not confirmed
)

// Source tells where a label is from.
type Source string

// The sources, the strongest first.
const (
	FromOperator Source = "operator"
	FromRegistry Source = "registry"
	FromClass    Source = "class" // it is the label of the address' class
	FromNowhere  Source = "none"
)

// Subject is what an operator labels.
type Subject string

// The subjects.
const (
	OfAddress Subject = "address"
	OfClass   Subject = "class" // all addresses of a class
)

// Note is an operator's label.
type Note struct {
	Chain   domain.Chain
	Subject Subject
	Felt    starknet.Felt // the address, or the hash of the class
	Label   Label
	At      time.Time
	By      string // who made it
}

const (
	maxLabel = 64 // characters
	maxKind  = 32
)

// check returns invalid_request unless the note can be shown.
func (n *Note) check() error {
	switch l := &n.Label; {
	case !showable(l.Text, maxLabel):
		return domain.Errorf(domain.CodeInvalidRequest, "A label must have 1 to %d printable characters, without leading or trailing spaces.", maxLabel)
	case l.Protocol != nil && !showable(l.Protocol.Name, maxLabel):
		return domain.Errorf(domain.CodeInvalidRequest, "A protocol name must have 1 to %d printable characters, without leading or trailing spaces.", maxLabel)
	case l.Protocol != nil && !isKind(l.Protocol.Kind):
		return domain.Errorf(domain.CodeInvalidRequest, "A protocol kind must have at most %d characters from a-z, 0-9 and _, for example bridge.", maxKind)
	case l.Confidence != High && l.Confidence != Medium && l.Confidence != Low:
		return domain.Errorf(domain.CodeInvalidRequest, "The confidence of a label must be high, medium or low, got %s.", domain.Quote(string(l.Confidence)))
	}
	return nil
}

// showable refuses what is empty, too long or steers a display instead of
// appearing on it: such a label can pose as another one.
func showable(text string, most int) bool {
	steers := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) }
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most &&
		strings.TrimSpace(text) == text && !strings.ContainsFunc(text, steers)
}

func isKind(text string) bool {
	return len(text) <= maxKind && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
