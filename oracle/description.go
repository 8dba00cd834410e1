package oracle

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"astrolabe/starknet"
)

// AskTokens reads the metadata of every token from the newest state. Before
// that, no answer contains it.
func (m *Model) AskTokens() {
	m.called = map[starknet.Felt]description{}
	for token := range m.standards {
		m.called[token] = description{m.text(token, "symbol"), m.text(token, "name"), m.decimals(token)}
	}
}

func (m *Model) view(contract starknet.Felt, function string) []starknet.Felt {
	result, err := m.Read(m.head().BlockNumber, contract, function)
	if err != nil {
		return nil
	}
	return result
}

// text is a printable short string or ByteArray.
func (m *Model) text(contract starknet.Felt, function string) *string {
	result := m.view(contract, function)
	var text []byte
	if len(result) == 1 {
		text = bytes.TrimLeft(result[0][:], "\x00")
	} else if all, used, err := starknet.DecodeByteArray(result); err == nil && used == len(result) {
		text = all
	}
	steers := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) }
	if len(text) == 0 || len(text) > 256 || !utf8.Valid(text) || strings.ContainsFunc(string(text), steers) {
		return nil
	}
	return new(string(text))
}

func (m *Model) decimals(contract starknet.Felt) *int {
	if result := m.view(contract, "decimals"); len(result) == 1 {
		if n, ok := result[0].Count(255); ok {
			return &n
		}
	}
	return nil
}

// title is the symbol of a token with its name, if they differ.
func (d description) title() any {
	switch {
	case d.Symbol == nil && d.Name == nil:
		return nil
	case d.Symbol == nil:
		return *d.Name
	case d.Name == nil || *d.Name == *d.Symbol:
		return *d.Symbol
	}
	return *d.Symbol + " (" + *d.Name + ")"
}
