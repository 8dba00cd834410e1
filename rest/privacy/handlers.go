package privacy

import (
	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
)

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct{ *explorer.Services }

// Envelope is the head of every body of this package.
type Envelope struct {
	SchemaVersion    string       `json:"schemaVersion"`
	ChainID          domain.Chain `json:"chainId"`
	Scope            string       `json:"scope"`
	AccountingMethod string       `json:"accountingMethod"`
}

// envelope returns the head of the answer to a call.
func envelope(c *frame.Call) Envelope { return envelopeOf(c.Chain) }

// envelopeOf returns the head of an answer about a chain.
func envelopeOf(c domain.Chain) Envelope {
	return Envelope{privacy.SchemaVersion, c, privacy.Scope, privacy.AccountingMethod}
}
