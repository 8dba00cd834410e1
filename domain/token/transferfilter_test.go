package token

import (
	"math"
	"testing"

	"astrolabe/domain"
)

func TestAPageIsTakenFromItsWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after    domain.Position
		from, to *uint64
		want     Window
	}{
		"everything":          {nil, nil, nil, Window{0, math.MaxInt32, beyond, beyond, beyond}},
		"some blocks":         {nil, new(uint64(3)), new(uint64(9)), Window{3, 9, beyond, beyond, beyond}},
		"no block that is":    {nil, new(uint64(1 << 53)), new(uint64(1 << 53)), Window{math.MaxInt32, math.MaxInt32, beyond, beyond, beyond}},
		"what follows a row":  {domain.Position{7, 6, 5, 4}, new(uint64(3)), new(uint64(9)), Window{3, 7, 6, 5, 4}},
		"the very first rows": {domain.Position{0, 0, 0, 0}, nil, nil, Window{}},
	} {
		if got, err := window(domain.PageRequest{After: c.after}, c.from, c.to); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	if _, err := window(domain.PageRequest{After: domain.Position{1, 2, 3}}, nil, nil); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("a position of another list: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}
