package graph

import "github.com/vektah/gqlparser/v2/ast"

// price is what a field costs by @cost: points for itself, and those of the size
// that its value is assumed to have.
type price struct{ weight, assumed int }

// prices are the prices of the fields that do not cost 1.
type prices map[*ast.FieldDefinition]price

// of returns the points of a field itself.
func (p prices) of(field *ast.FieldDefinition) int {
	if price, ok := p[field]; ok {
		return price.weight
	}
	return 1
}

// pricesOf reads @cost.
func pricesOf(schema *ast.Schema) prices {
	all := prices{}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if directive := field.Directives.ForName("cost"); directive != nil {
				arguments := directive.ArgumentMap(nil)
				weight, _ := arguments["weight"].(int64)
				kilobytes, _ := arguments["kilobytes"].(int64)
				all[field] = price{weight: max(1, int(weight)), assumed: int(kilobytes)}
			}
		}
	}
	return all
}
