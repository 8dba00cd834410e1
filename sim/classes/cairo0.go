package classes

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"astrolabe/starknet"
)

// The ABIs of the Cairo 0 classes are written by hand, one file per class.
//
//go:embed cairo0
var cairo0ABIs embed.FS

// loadCairo0 returns the Cairo 0 classes.
func loadCairo0() ([]*Class, error) {
	entries, err := cairo0ABIs.ReadDir("cairo0")
	if err != nil {
		return nil, fmt.Errorf("classes: %w", err)
	}
	all := make([]*Class, 0, len(entries))
	for _, file := range entries {
		text, err := cairo0ABIs.ReadFile("cairo0/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("classes: %w", err)
		}
		class, err := cairo0Class(strings.TrimSuffix(file.Name(), ".json"), text)
		if err != nil {
			return nil, fmt.Errorf("class %s: %w", file.Name(), err)
		}
		all = append(all, class)
	}
	return all, nil
}

// cairo0Class builds a class from its ABI. Its program is a placeholder: the
// bytecode is the name of the class and a return instruction for each entry
// point. Its hash follows Starknet's formula.
func cairo0Class(name string, abi []byte) (*Class, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, abi); err != nil {
		return nil, err
	}
	document := starknet.DeprecatedClass{ABI: compact.Bytes()}
	points, err := cairo0EntryPoints(compact.Bytes())
	if err != nil {
		return nil, err
	}
	document.EntryPointsByType = points
	count := len(points.External) + len(points.L1Handler) + len(points.Constructor)
	if document.Program, err = cairo0Program(name, count); err != nil {
		return nil, err
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	hash, err := document.Hash()
	return newClass(entry{Name: name, Package: name, ClassHash: hash}, text), err
}

// cairo0EntryPoints lists the functions of an ABI in the order of their
// selectors, as the compiler does.
func cairo0EntryPoints(abi []byte) (points starknet.DeprecatedEntryPoints, err error) {
	var items []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(abi, &items); err != nil {
		return points, err
	}
	points = starknet.DeprecatedEntryPoints{
		Constructor: []starknet.DeprecatedEntryPoint{}, External: []starknet.DeprecatedEntryPoint{}, L1Handler: []starknet.DeprecatedEntryPoint{},
	}
	lists := map[string]*[]starknet.DeprecatedEntryPoint{
		"function": &points.External, "l1_handler": &points.L1Handler, "constructor": &points.Constructor,
	}
	offset := uint64(1)
	for _, item := range items {
		if list := lists[item.Type]; list != nil {
			*list = append(*list, starknet.DeprecatedEntryPoint{Offset: starknet.FeltFromUint64(offset), Selector: starknet.Selector(item.Name)})
			offset++
		}
	}
	for _, list := range lists {
		slices.SortFunc(*list, func(a, b starknet.DeprecatedEntryPoint) int { return a.Selector.Cmp(b.Selector) })
	}
	return points, nil
}

// cairo0Program returns a program in the node's format.
func cairo0Program(name string, entryPoints int) (string, error) {
	text, err := starknet.ShortString(name)
	if err != nil {
		return "", err
	}
	data := []starknet.Felt{text}
	for range entryPoints {
		data = append(data, starknet.MustFelt("0x208b7fff7fff7ffe"))
	}
	program := map[string]any{
		"attributes": []any{}, "builtins": []string{"pedersen", "range_check"}, "compiler_version": "0.10.3", "data": data,
		"debug_info": nil, "hints": struct{}{}, "identifiers": struct{}{}, "main_scope": "__main__",
		"prime": "0x" + starknet.Prime().Text(16), "reference_manager": map[string]any{"references": []any{}},
	}
	plain, err := json.Marshal(program)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write(plain); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}
