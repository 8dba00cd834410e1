package transparency_test

import (
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/transparency"
)

// expectCode checks that an error is one that clients see.
func expectCode(t *testing.T, what string, err error, want domain.Code) {
	t.Helper()
	if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != want {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}

func TestUnknownSizesReceiptsAndTilesAreNotFound(t *testing.T) {
	t.Parallel()
	signer, ctx := signerOf("k", 1), t.Context()
	_, err := transparency.NewLog(&memory{}).Checkpoint(ctx)
	expectCode(t, "an empty log", err, domain.CodeNotFound)

	m := &memory{}
	m.grow(t, signer, "sha256:1", "sha256:2")
	m.grow(t, signer, "sha256:3", "sha256:4", "sha256:5")
	log := transparency.NewLog(m)
	for what, c := range map[string]struct {
		receipt, size int64
		want          domain.Code
	}{
		"a size without a checkpoint":   {1, 3, domain.CodeNotFound},
		"a larger size":                 {1, 6, domain.CodeNotFound},
		"a receipt of a larger log":     {3, 2, domain.CodeNotFound},
		"a receipt that is not in it":   {6, 0, domain.CodeNotFound},
		"no receipt":                    {0, 0, domain.CodeNotFound},
		"a receipt without an own size": {4, 4, domain.CodeNotFound},
	} {
		_, err := log.Inclusion(ctx, c.receipt, c.size)
		expectCode(t, what, err, c.want)
	}
	for what, c := range map[string]struct {
		from, to int64
		want     domain.Code
	}{
		"from above to":               {5, 2, domain.CodeInvalidRequest},
		"from zero":                   {0, 5, domain.CodeInvalidRequest},
		"from above the newest":       {6, 0, domain.CodeNotFound},
		"a size without a checkpoint": {1, 3, domain.CodeNotFound},
	} {
		_, err := log.Consistency(ctx, c.from, c.to)
		expectCode(t, what, err, c.want)
	}
	for path, want := range map[string]domain.Code{
		"tile/8/0/000.p/6":     domain.CodeNotFound,
		"tile/8/0/000":         domain.CodeNotFound,
		"tile/8/0/001.p/1":     domain.CodeNotFound,
		"tile/8/1/000.p/1":     domain.CodeNotFound,
		"tile/8/63/000.p/1":    domain.CodeNotFound,
		"tile/8/data/000.p/5":  domain.CodeInvalidRequest,
		"tile/4/0/000.p/5":     domain.CodeInvalidRequest,
		"tile/8/0/x999/999":    domain.CodeNotFound,
		"tile/10/0/x999/999":   domain.CodeInvalidRequest,
		"tile/8/7/x999/000":    domain.CodeNotFound,
		"tile/8/0/x001/x1/x/1": "",
	} {
		tile, err := tlog.ParseTilePath(path)
		if want == "" {
			if err == nil {
				t.Errorf("%s: got a tile, want none", path)
			}
			continue
		}
		_, err = log.Tile(ctx, must(tile, err))
		expectCode(t, path, err, want)
	}
	for width := 1; width <= 5; width++ { // the earlier widths of a tile stay readable
		if data, err := log.Tile(ctx, tlog.Tile{H: 8, W: width}); err != nil || len(data) != 32*width {
			t.Errorf("width %d: got %d bytes and %v, want %d", width, len(data), err, 32*width)
		}
	}
}
