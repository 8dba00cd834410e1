package address

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Label is the label of an address.
type Label struct {
	Text       string
	Confidence Confidence
	Source     Source
	Protocol   *Protocol // nil when it is of none
}

// Protocol is the protocol of an address.
type Protocol struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // in snake case, for example bridge; empty when unknown
}

// Confidence is the confidence of a label.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"   // published by those whose address it is
	Medium Confidence = "medium" // what the code is, but not whose
	Low    Confidence = "low"    // seen, not confirmed
)

// Source is the source of a label.
type Source string

// The sources, the strongest first.
const (
	FromOperator Source = "operator"
	FromRegistry Source = "registry"
	FromClass    Source = "class" // it is the label of the address' class
	FromNowhere  Source = "none"
)

// Subject is the kind of object that an operator labels.
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

// check returns invalid_request unless the label can be displayed.
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

// showable rejects text that is empty, too long or contains control characters,
// with which a label could imitate another one.
func showable(text string, most int) bool {
	steers := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) }
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most &&
		strings.TrimSpace(text) == text && !strings.ContainsFunc(text, steers)
}

func isKind(text string) bool {
	return len(text) <= maxKind && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
