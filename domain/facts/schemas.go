package facts

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// SchemasVersion is the version of the fields derived from an ABI: Standard,
// Account, Events and Functions.
const SchemasVersion = 1

// maxText bounds every name and type of a schema in bytes. An ABI can repeat a
// long one thousands of times.
const maxText = 1024

// eventSchemas lists the events of an ABI by selector, name, path and fields,
// equal ones once. Of an absurd number of them it keeps the first.
func eventSchemas(schema *abi.Schema) []EventSchema {
	ambiguous := map[*abi.EventLayout]bool{}
	for _, l := range schema.Ambiguous() {
		ambiguous[l] = true
	}
	list := make([]EventSchema, 0, len(schema.Events()))
	for _, l := range schema.Events() {
		e := EventSchema{
			Selector:    l.Selectors[0],
			Name:        schemaText(l.Name),
			Path:        make([]string, len(l.Path)),
			Fields:      fieldSchemas(l.Params, true),
			Unsupported: errorText(l.Unsupported()),
			Ambiguous:   ambiguous[l],
		}
		for i, name := range l.Path {
			e.Path[i] = schemaText(name)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, compareEvents)
	list = slices.CompactFunc(list, func(a, b EventSchema) bool { return compareEvents(a, b) == 0 })
	return list[:min(len(list), maxCount)]
}

func compareEvents(a, b EventSchema) int {
	return cmp.Or(
		a.Selector.Cmp(b.Selector), cmp.Compare(a.Name, b.Name), slices.Compare(a.Path, b.Path),
		slices.CompareFunc(a.Fields, b.Fields, compareFields), cmp.Compare(a.Unsupported, b.Unsupported),
	)
}

func compareFields(a, b FieldSchema) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Source, b.Source))
}

// functionSchemas lists the external functions and L1 handlers of an ABI by
// selector and name, each once; text is the ABI. Of an absurd number of them it
// keeps the first.
func functionSchemas(schema *abi.Schema, text []byte) []FunctionSchema {
	var list []FunctionSchema
	for _, e := range functionNames(text) {
		selector := starknet.Selector(e.Name)
		f := schema.Function(selector)
		if e.Type == "l1_handler" {
			f = schema.L1Handler(selector)
		}
		if f == nil {
			continue
		}
		list = append(list, FunctionSchema{
			Selector:    selector,
			Name:        schemaText(f.Name),
			View:        f.View,
			L1Handler:   e.Type == "l1_handler",
			Inputs:      fieldSchemas(f.Inputs, false),
			Outputs:     fieldSchemas(f.Outputs, false),
			Unsupported: errorText(cmp.Or(f.UnsupportedInputs(), f.UnsupportedOutputs())),
		})
	}
	slices.SortStableFunc(list, compareFunctions)
	list = slices.CompactFunc(list, func(a, b FunctionSchema) bool { return compareFunctions(a, b) == 0 })
	return list[:min(len(list), maxCount)]
}

// compareFunctions orders by selector and kind, which are unique in a class's
// schema, although the ABI may list a function more than once.
func compareFunctions(a, b FunctionSchema) int {
	return cmp.Or(a.Selector.Cmp(b.Selector), cmp.Compare(a.Name, b.Name), compareBools(a.L1Handler, b.L1Handler))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// abiEntry is the fields of an ABI entry that identify its entry points.
type abiEntry struct {
	Type  string     `json:"type"`
	Name  string     `json:"name"`
	Items []abiEntry `json:"items"`
}

// functionNames lists the functions and L1 handlers of an ABI.
func functionNames(text []byte) []abiEntry {
	var entries, list []abiEntry
	if json.Unmarshal(text, &entries) != nil {
		return nil
	}
	for _, e := range entries {
		switch e.Type {
		case "function", "l1_handler":
			list = append(list, e)
		case "interface":
			for _, item := range e.Items {
				if item.Type == "function" {
					list = append(list, item)
				}
			}
		}
	}
	return list
}

func fieldSchemas(params []abi.Param, event bool) []FieldSchema {
	list := make([]FieldSchema, len(params))
	for i := range params {
		list[i] = FieldSchema{Name: schemaText(params[i].Name), Type: schemaText(params[i].Type.Name)}
		if event {
			list[i].Source = params[i].Source.String()
		}
	}
	return list
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return schemaText(err.Error())
}

// schemaText returns a text of an ABI as it is stored: cut to maxText.
func schemaText(text string) string {
	text = storable(text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return text
}
