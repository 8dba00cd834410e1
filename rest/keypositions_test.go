package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestKeysFollowTheSelector gives the first key as topic0 or selector and the
// others by key or keys.
func TestKeysFollowTheSelector(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, block := aTransfer(t)
	path := fmt.Sprintf("/v1/SN_MAIN/contract/%s/events?limit=100&from_block=%d&to_block=%d", e.FromAddress, block, block)
	want := placesOf(s.walked(path + fmt.Sprintf("&topic0=%s&topic1=%s&topic2=%s", e.Keys[0], e.Keys[1], e.Keys[2])))
	if len(want) == 0 {
		t.Fatal("got no event, want some")
	}
	for _, first := range []string{"topic0", "selector"} {
		for _, name := range []string{"key", "keys"} {
			query := fmt.Sprintf("&%s=%s&%s=%s&%s=%s", first, e.Keys[0], name, e.Keys[1], name, e.Keys[2])
			requirePlaces(t, query, s.walked(path+query), want)
			failure := requireFailure(t, s.get(path+"&"+first+"=0x1"+strings.Repeat("&"+name+"=0x1", 16)), http.StatusBadRequest, domain.CodeInvalidRequest)
			if !strings.Contains(failure.Message, "at most 15") {
				t.Errorf("16 values after %s: got %q, want the limit of 15", first, failure.Message)
			}
		}
	}
}
