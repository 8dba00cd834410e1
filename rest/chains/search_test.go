package chains

import (
	"testing"

	"astrolabe/rest/frame"
)

func TestSearchIsBeta(t *testing.T) {
	t.Parallel()
	for _, op := range (Handlers{}).SearchOperations() {
		if op.Cert != frame.Beta {
			t.Errorf("%s: got %s, want %s", op.ID, op.Cert, frame.Beta)
		}
	}
}
