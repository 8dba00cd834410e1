package facts

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

// Difference is where the stored facts of a block are not the expected ones.
type Difference struct {
	Table Table
	Block uint64
	Place string // of the row within the block, such as "tx 3, log 1"
	// Column is empty when the whole row is missing or too many; the side
	// that does not have it is then empty, too.
	Column           string
	Stored, Expected string
}

// String names the difference in one line.
func (d Difference) String() string {
	place := fmt.Sprintf("%s of block %d", d.Table, d.Block)
	if d.Place != "" {
		place += ", " + d.Place
	}
	switch {
	case d.Column != "":
		return fmt.Sprintf("%s: %s is %s, expected %s", place, d.Column, d.Stored, d.Expected)
	case d.Stored == "":
		return fmt.Sprintf("%s: the row is missing, expected %s", place, d.Expected)
	}
	return fmt.Sprintf("%s: there is a row that is not expected: %s", place, d.Stored)
}

// FirstDifference compares the given tables of two versions of one block, or
// all of them, in the order of Tables.
func FirstDifference(stored, expected *Block, tables ...Table) (Difference, bool) {
	for _, table := range Tables {
		if len(tables) > 0 && !slices.Contains(tables, table) {
			continue
		}
		var have, want encoding
		stored.columns(table, &have)
		expected.columns(table, &want)
		if slices.Equal(have, want) {
			continue
		}
		var a, b rowTexts
		stored.columns(table, &a)
		expected.columns(table, &b)
		difference := a.compare(b)
		difference.Table, difference.Block = table, stored.Header.Number
		return difference, true
	}
	return Difference{}, false
}

// rowText is a row as people read it.
type rowText struct {
	keys    int
	columns []columnText
}

type columnText struct{ name, value string }

// place is the row's key, such as "tx 3, log 1".
func (r rowText) place() string { return join(r.columns[:r.keys]) }

// String is the row without its key.
func (r rowText) String() string { return cut(join(r.columns[r.keys:]), 0) }

func join(columns []columnText) string {
	words := make([]string, len(columns))
	for i, c := range columns {
		words[i] = c.name + " " + c.value
	}
	return strings.Join(words, ", ")
}

// rowTexts is a sink that keeps rows as text.
type rowTexts []rowText

// compare finds the first difference to the expected rows.
func (rows rowTexts) compare(expected rowTexts) Difference {
	for i := range max(len(rows), len(expected)) {
		switch {
		case i >= len(rows):
			return Difference{Place: expected[i].place(), Expected: expected[i].String()}
		case i >= len(expected):
			return Difference{Place: rows[i].place(), Stored: rows[i].String()}
		case rows[i].place() == expected[i].place():
			if d, differ := rows[i].compare(expected[i]); differ {
				return d
			}
		case expected[i:].have(rows[i].place()):
			return Difference{Place: expected[i].place(), Expected: expected[i].String()}
		default:
			return Difference{Place: rows[i].place(), Stored: rows[i].String()}
		}
	}
	return Difference{}
}

func (rows rowTexts) have(place string) bool {
	return slices.ContainsFunc(rows, func(r rowText) bool { return r.place() == place })
}

// compare finds the first column in which rows of the same key differ.
func (r rowText) compare(expected rowText) (Difference, bool) {
	for i := range min(len(r.columns), len(expected.columns)) {
		a, b := r.columns[i], expected.columns[i]
		if a == b {
			continue
		}
		from := 0
		for from < min(len(a.value), len(b.value)) && a.value[from] == b.value[from] {
			from++
		}
		return Difference{Place: r.place(), Column: b.name, Stored: cut(a.value, from), Expected: cut(b.value, from)}, true
	}
	return Difference{}, false
}

// longest is the maximum length of a printed value.
const longest = 200

// cut shortens a text so that the byte at a place is seen.
func cut(text string, at int) string {
	if text == "" {
		return "empty"
	}
	if at > longest/2 {
		text = "…" + strings.ToValidUTF8(text[at-longest/4:], "")
	}
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func (rows *rowTexts) row(keys int) { *rows = append(*rows, rowText{keys: keys}) }

func (rows *rowTexts) text(column, v string) {
	last := &(*rows)[len(*rows)-1]
	last.columns = append(last.columns, columnText{column, v})
}

func (rows *rowTexts) number(column string, v uint64)      { rows.text(column, strconv.FormatUint(v, 10)) }
func (rows *rowTexts) flag(column string, v bool)          { rows.text(column, strconv.FormatBool(v)) }
func (rows *rowTexts) felt(column string, v starknet.Felt) { rows.text(column, v.String()) }

// bytes are text where they can be read, such as an ABI.
func (rows *rowTexts) bytes(column string, v []byte) {
	if len(v) > 0 && v[0] >= ' ' && v[0] < 0x7f && column == "abi" {
		rows.text(column, string(v))
		return
	}
	rows.text(column, "0x"+hex.EncodeToString(v))
}

func (rows *rowTexts) felts(column string, v []starknet.Felt) {
	words := make([]string, len(v))
	for i := range v {
		words[i] = v[i].String()
	}
	rows.text(column, "["+strings.Join(words, " ")+"]")
}

func (rows *rowTexts) feltIf(column string, v *starknet.Felt)      { optional(rows, column, v) }
func (rows *rowTexts) amountIf(column string, v *starknet.Uint256) { optional(rows, column, v) }
func (rows *rowTexts) numberIf(column string, v *int)              { optional(rows, column, v) }

func optional[T any](rows *rowTexts, column string, v *T) {
	if v == nil {
		rows.text(column, "null")
		return
	}
	rows.text(column, fmt.Sprint(*v))
}
