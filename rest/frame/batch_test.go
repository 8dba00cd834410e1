package frame

import (
	"testing"

	"astrolabe/domain"
)

func TestBatchHas1To128Items(t *testing.T) {
	t.Parallel()
	for items, want := range map[int]bool{0: false, 1: true, 128: true, 129: false} {
		if err := CheckBatch("hashes", items); (err == nil) != want || err != nil && domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%d items: got %v, want accepted %t or %s", items, err, want, domain.CodeInvalidRequest)
		}
	}
}
