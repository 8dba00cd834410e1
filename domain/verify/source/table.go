package source

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// document is a TOML file. It remembers the first value of a wrong type.
type document struct {
	file string
	err  error
}

// table is a table of a document. A missing table has no keys.
type table struct {
	document *document
	at       string // its key, such as workspace.dependencies
	keys     map[string]any
}

// maxKeys is how many keys a file may have: the time to decode a table grows with
// the square of their number. Every equals sign is counted as one.
const maxKeys = 8192

// decode reads a TOML file. Keys are compared exactly, as Scarb does.
func decode(file string, content []byte) (table, error) {
	root := table{document: &document{file: file}}
	if keys := bytes.Count(content, []byte("=")); keys > maxKeys {
		return root, rejectf("%s has %d keys, but at most %d are allowed.", quote(file), keys, maxKeys)
	}
	err := toml.Unmarshal(content, &root.keys)
	if err == nil {
		return root, nil
	}
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := where.Position()
		return root, rejectf("%s is not valid TOML at line %d, column %d: %s.", quote(file), line, column, quote(where.Error()))
	}
	return root, rejectf("%s is not valid TOML: %s.", quote(file), quote(err.Error()))
}

func (t table) has(key string) bool {
	_, has := t.keys[key]
	return has
}

// names returns the keys in order.
func (t table) names() []string { return slices.Sorted(maps.Keys(t.keys)) }

func (t table) key(name string) string {
	if t.at == "" {
		return name
	}
	return t.at + "." + name
}

// wrong remembers that a value is not what Scarb expects.
func (t table) wrong(key, want string) {
	if t.document.err == nil {
		t.document.err = rejectf("%s: %s must be %s.", quote(t.document.file), quote(t.key(key)), want)
	}
}

func (t table) table(key string) table {
	keys, ok := t.keys[key].(map[string]any)
	if t.has(key) && !ok {
		t.wrong(key, "a table")
	}
	return table{t.document, t.key(key), keys}
}

// tables returns an array of tables.
func (t table) tables(key string) []table {
	list, ok := t.keys[key].([]any)
	if t.has(key) && !ok {
		t.wrong(key, "an array of tables")
	}
	var all []table
	for _, value := range list {
		keys, ok := value.(map[string]any)
		if !ok {
			t.wrong(key, "an array of tables")
		}
		all = append(all, table{t.document, t.key(key), keys})
	}
	return all
}

func (t table) text(key string) string {
	text, ok := t.keys[key].(string)
	if t.has(key) && !ok {
		t.wrong(key, "a string")
	}
	return text
}

func (t table) texts(key string) []string {
	list, ok := t.keys[key].([]any)
	if t.has(key) && !ok {
		t.wrong(key, "an array of strings")
	}
	var all []string
	for _, value := range list {
		text, ok := value.(string)
		if !ok {
			t.wrong(key, "an array of strings")
		}
		all = append(all, text)
	}
	return all
}
