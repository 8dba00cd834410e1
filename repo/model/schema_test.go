package model_test

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun/schema"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// migrated is a database with the schema and no rows.
func migrated(ctx context.Context, url string) error {
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx)
	return err
}

func open(t *testing.T) *repo.DB {
	t.Helper()
	db, err := repo.Open(t.Context(), repo.Options{URL: pgtest.Database(t, migrated)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// column is a column of the schema.
type column struct {
	Table    string `bun:"table_name"`
	Name     string `bun:"column_name"`
	Type     string `bun:"data_type"`
	Nullable bool   `bun:"nullable"`
}

// columnsOf lists the columns of our tables, without partitions, the job queue
// and the migration records.
func columnsOf(t *testing.T, db *repo.DB) map[string][]column {
	t.Helper()
	var list []column
	err := db.Write().NewRaw(`/* test.columns */
		SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES' AS nullable
		FROM information_schema.columns c
		JOIN pg_class r ON r.relname = c.table_name AND r.relnamespace = 'astrolabe'::regnamespace AND r.relkind IN ('r', 'p') AND NOT r.relispartition
		WHERE c.table_schema = 'astrolabe' AND c.table_name NOT LIKE 'river%' AND c.table_name NOT IN ('migrations', 'migration_locks')
		ORDER BY c.table_name, c.ordinal_position`).Scan(t.Context(), &list)
	if err != nil {
		t.Fatal(err)
	}
	tables := make(map[string][]column)
	for _, c := range list {
		tables[c.Table] = append(tables[c.Table], c)
	}
	return tables
}

// TestEveryTableHasAModelWithItsColumns compares the models with the migrated
// schema.
func TestEveryTableHasAModelWithItsColumns(t *testing.T) {
	t.Parallel()
	db := open(t)
	tables := columnsOf(t, db)
	for _, m := range model.All() {
		table := db.Write().Table(reflect.TypeOf(m).Elem())
		columns, ok := tables[table.Name]
		if !ok {
			t.Errorf("%s: got no table %s or a second model of it, want a table with one model", table.TypeName, table.Name)
			continue
		}
		delete(tables, table.Name)
		var names, want []string
		for _, field := range table.Fields {
			names = append(names, field.Name)
		}
		for _, c := range columns {
			want = append(want, c.Name)
			if field := table.LookupField(c.Name); field != nil {
				if fault := misfit(c, field); fault != "" {
					t.Errorf("%s.%s: got %s, want a model that fits", table.Name, c.Name, fault)
				}
			}
		}
		slices.Sort(names)
		slices.Sort(want)
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("columns of %s (-schema +model):\n%s", table.Name, diff)
		}
	}
	for name := range tables {
		t.Errorf("table %s: got no model, want one", name)
	}
}

// misfit returns why a field cannot hold every value of its column, or would
// change one silently.
func misfit(c column, field *schema.Field) string {
	typ := field.StructField.Type
	if nilable := typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Map || isBytes(typ); c.Nullable && !nilable {
		return fmt.Sprintf("the column is nullable, the field is a %s, which bun sets to zero for NULL", typ)
	}
	if !c.Nullable && typ.Kind() == reflect.Pointer {
		return fmt.Sprintf("the column is never NULL, the field is a %s", typ)
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[sql.Scanner]()) {
		return "" // its Scan rejects invalid values, as types_test.go checks
	}
	wanted, known := map[string][]reflect.Kind{
		"smallint": {reflect.Int64}, "integer": {reflect.Int64}, "bigint": {reflect.Int64},
		"boolean": {reflect.Bool}, "text": {reflect.String}, "bytea": {reflect.Slice},
		"ARRAY": {reflect.Slice}, "jsonb": {reflect.Slice, reflect.Map},
	}[c.Type]
	switch {
	case c.Type == "timestamp with time zone" && typ == reflect.TypeFor[time.Time]():
		return ""
	case !known || !slices.Contains(wanted, typ.Kind()):
		return fmt.Sprintf("the column is a %s, the field a %s", c.Type, typ)
	}
	return ""
}

func isBytes(typ reflect.Type) bool {
	return typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Uint8
}

// TestMisfitsAreNoticed plants every kind of misfit.
func TestMisfitsAreNoticed(t *testing.T) {
	t.Parallel()
	type planted struct {
		Nullable int64  `bun:"nullable"`
		Narrow   int16  `bun:"narrow"`
		Unsigned uint64 `bun:"unsigned"`
		Absent   *int64 `bun:"absent"`
	}
	table := open(t).Write().Table(reflect.TypeFor[planted]())
	for name, c := range map[string]column{
		"nullable": {Type: "bigint", Nullable: true},
		"narrow":   {Type: "bigint"},
		"unsigned": {Type: "bigint"},
		"absent":   {Type: "bigint"},
	} {
		if misfit(c, table.LookupField(name)) == "" {
			t.Errorf("%s: got no report, want one", strings.ToUpper(name[:1])+name[1:])
		}
	}
}
