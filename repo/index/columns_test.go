package index

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/repo/model"
)

// TestCopiedColumnsAreThoseOfTheModels compares the column lists of COPY and of
// Archive with the models. Another test compares the models with the schema.
func TestCopiedColumnsAreThoseOfTheModels(t *testing.T) {
	t.Parallel()
	tables := pgdialect.New().Tables()
	for m, columns := range map[any]string{
		(*model.Block)(nil):          blockColumns,
		(*model.Transaction)(nil):    transactionColumns,
		(*model.Event)(nil):          eventColumns,
		(*model.Message)(nil):        messageColumns,
		(*model.Transfer)(nil):       transferColumns,
		(*model.Activity)(nil):       activityColumns,
		(*model.Locator)(nil):        locatorColumns,
		(*model.Address)(nil):        dictionaryColumns,
		(*model.Selector)(nil):       dictionaryColumns,
		(*model.Class)(nil):          classColumns,
		(*model.EventSchema)(nil):    eventSchemaColumns,
		(*model.FunctionSchema)(nil): functionSchemaColumns,
		(*model.Declaration)(nil):    declarationColumns,
		(*model.ContractClass)(nil):  contractClassColumns,
		(*model.Deployment)(nil):     deploymentColumns,
	} {
		table := tables.Get(reflect.TypeOf(m).Elem())
		want := make([]string, len(table.Fields))
		for i, field := range table.Fields {
			want[i] = field.Name
		}
		listed := strings.Split(columns, ", ")
		slices.Sort(want)
		slices.Sort(listed)
		if diff := cmp.Diff(want, listed); diff != "" {
			t.Errorf("columns of %s (-model +listed):\n%s", table.Name, diff)
		}
	}
}
