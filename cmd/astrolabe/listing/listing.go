package listing

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// Format is the setting of a command that lists rows.
type Format struct {
	JSON bool `name:"json" help:"Print a JSON array with one object per row." env:"-"`
}

// Print prints rows of a struct type. Its fields are the columns, named by their
// JSON names: publicId has the header PUBLIC ID. Without rows, the table is
// only its header, and the JSON an empty array. Times are printed in UTC, and what is
// absent as "-".
func Print[Row any](w io.Writer, f Format, rows []Row) error {
	if f.JSON {
		if rows == nil {
			rows = []Row{}
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(rows)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var headers []string
	for field := range reflect.TypeFor[Row]().Fields() {
		headers = append(headers, header(field))
	}
	fmt.Fprintln(table, strings.Join(headers, "\t"))
	for _, row := range rows {
		value := reflect.ValueOf(row)
		cells := make([]string, value.NumField())
		for i := range cells {
			cells[i] = cell(value.Field(i).Interface())
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// header returns the JSON name of a field in capitals, its words apart.
func header(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	var text strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			text.WriteRune(' ')
		}
		text.WriteRune(unicode.ToUpper(r))
	}
	return text.String()
}

// cell returns a value as a table shows it. Tabs and line breaks would end the
// cell.
func cell(value any) string {
	text := ""
	switch v := value.(type) {
	case time.Time:
		text = v.UTC().Format(time.RFC3339)
	case *time.Time:
		if v != nil {
			text = v.UTC().Format(time.RFC3339)
		}
	case []string:
		text = strings.Join(v, ",")
	case json.RawMessage:
		text = string(v)
	case encoding.TextMarshaler, fmt.Stringer:
		text = fmt.Sprint(v)
	default:
		if r := reflect.ValueOf(value); r.Kind() == reflect.Pointer {
			if r.IsNil() {
				return "-"
			}
			return cell(r.Elem().Interface())
		}
		text = fmt.Sprint(v)
	}
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return "-"
	}
	return text
}
