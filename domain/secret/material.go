package secret

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Size is the length of every key in bytes.
const Size = 32

// redacted is the printed form of a key, for every verb and encoder.
const redacted = "[redacted]"

// Material is key material that prints as redacted.
type Material [Size]byte

// NewMaterial draws a fresh random key.
func NewMaterial() Material {
	var m Material
	_, _ = rand.Read(m[:]) // crypto/rand.Read never fails: it ends the program instead.
	return m
}

// Format prints the word redacted for every verb.
func (Material) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue keeps the key out of structured logs.
func (Material) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON keeps the key out of every JSON document.
func (Material) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
