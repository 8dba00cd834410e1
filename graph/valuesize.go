package graph

import (
	"reflect"

	"astrolabe/starknet"
)

// valueSize is the size of a resolved value in the result.
type valueSize struct {
	bytes int
	items int // of a list of plain values
}

// A long value costs one more for each started step of its length: the items of
// a list of plain values, the bytes of a text.
const (
	itemsPerPoint     = 16
	bytesPerPoint     = 1 << 10
	bytesPerNamePoint = 64
)

// points is what a long value costs beyond its field.
func (s valueSize) points() int {
	if s.items > 0 {
		return started(s.items, itemsPerPoint)
	}
	return s.bytes / bytesPerPoint
}

// namePoints are the points of a response name, which is repeated for every
// item: 1 for every 64 bytes.
func namePoints(name string) int { return len(name) / bytesPerNamePoint }

// started is how many parts of this size are begun.
func started(n, each int) int { return (n + each - 1) / each }

// plainBytes is about the size of a number, a time or a name.
const plainBytes = 20

// sizeOf returns the size of a value as JSON. Objects count by their braces:
// their fields are counted when they are resolved.
func sizeOf(value any) valueSize {
	switch v := value.(type) {
	case starknet.Felt:
		return valueSize{bytes: feltBytes(v)}
	case *starknet.Felt:
		if v == nil {
			return valueSize{bytes: len("null")}
		}
		return valueSize{bytes: feltBytes(*v)}
	case []starknet.Felt:
		size := valueSize{bytes: 2, items: len(v)}
		for i := range v {
			size.bytes += feltBytes(v[i]) + 1
		}
		return size
	case string:
		return valueSize{bytes: textBytes(v)}
	case *string:
		if v == nil {
			return valueSize{bytes: len("null")}
		}
		return valueSize{bytes: textBytes(*v)}
	case []string:
		size := valueSize{bytes: 2, items: len(v)}
		for _, text := range v {
			size.bytes += textBytes(text) + 1
		}
		return size
	case bool, int, uint64:
		return valueSize{bytes: 5}
	case nil:
		return valueSize{bytes: len("null")}
	default:
		return otherSize(value)
	}
}

// otherSize is the size of everything else. The items of a list of objects are
// counted by their fields.
func otherSize(value any) valueSize {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return valueSize{bytes: plainBytes}
	}
	switch list.Type().Elem().Kind() {
	case reflect.Pointer, reflect.Struct, reflect.Interface:
		return valueSize{bytes: 2 + len("{},")*list.Len()}
	default:
		return valueSize{bytes: 2 + plainBytes*list.Len(), items: list.Len()}
	}
}

// feltBytes is the length of a felt as JSON.
func feltBytes(f starknet.Felt) int {
	i := 0
	for i < len(f)-1 && f[i] == 0 {
		i++
	}
	size := len(`"0x"`) + 2*(len(f)-i)
	if f[i] < 0x10 {
		size--
	}
	return size
}

// textBytes is the length of a text as JSON, with its escapes.
func textBytes(text string) int {
	size := 2 + len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			size++
		case c < 0x20 || c == '<' || c == '>' || c == '&':
			size += len(`\u0000`) - 1
		}
	}
	return size
}
