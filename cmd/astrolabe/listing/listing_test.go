package listing

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type row struct {
	PublicID   string     `json:"publicId"`
	Scopes     []string   `json:"scopes"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	Blocks     *uint64    `json:"blocks"`
	Label      string     `json:"label"`
}

var rows = []row{
	{PublicID: "a", Scopes: []string{"read", "batch"}, LastUsedAt: new(time.Date(2026, 11, 16, 1, 2, 3, 0, time.UTC)), Blocks: new(uint64(7)), Label: "two\nlines"},
	{PublicID: "longer", Scopes: []string{"read"}},
}

func TestTableHasAHeaderAndOneLinePerRow(t *testing.T) {
	t.Parallel()
	want := "" +
		"PUBLIC ID  SCOPES      LAST USED AT          BLOCKS  LABEL\n" +
		"a          read,batch  2026-11-16T01:02:03Z  7       two lines\n" +
		"longer     read        -                     -       -\n"
	check(t, Format{}, rows, want)
	check(t, Format{}, nil, "PUBLIC ID  SCOPES  LAST USED AT  BLOCKS  LABEL\n")
}

func TestJSONHasOneObjectPerRow(t *testing.T) {
	t.Parallel()
	want := `[
  {
    "publicId": "longer",
    "scopes": [
      "read"
    ],
    "lastUsedAt": null,
    "blocks": null,
    "label": ""
  }
]
`
	check(t, Format{JSON: true}, rows[1:], want)
	check(t, Format{JSON: true}, nil, "[]\n")
}

func check(t *testing.T, f Format, rows []row, want string) {
	t.Helper()
	var got bytes.Buffer
	if err := Print(&got, f, rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
