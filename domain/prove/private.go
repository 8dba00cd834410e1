package prove

import (
	"fmt"
	"log/slog"
)

// redacted is the printed form of private content, for every verb and encoder.
const redacted = "[redacted]"

// Private is content of a request or a result. Nothing prints, logs or encodes
// it: only Reveal returns it. The function hides it also where fmt cannot call
// methods: of an unexported field it prints an address.
type Private struct{ content func() []byte }

// Conceal makes content private. The caller must not change it afterwards.
func Conceal(content []byte) Private { return Private{func() []byte { return content }} }

// Reveal returns the content, for the connection that it is meant for and for
// nothing else. It is nil if there is none.
func (p Private) Reveal() []byte {
	if p.content == nil {
		return nil
	}
	return p.content()
}

// Empty reports whether there is no content.
func (p Private) Empty() bool { return len(p.Reveal()) == 0 }

// Format prints the word redacted for every verb.
func (Private) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue keeps the content out of structured logs.
func (Private) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText keeps the content out of JSON documents and other encodings.
func (Private) MarshalText() ([]byte, error) { return []byte(redacted), nil }
