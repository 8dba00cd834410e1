package rest

import (
	"net/http"
	"testing"

	"astrolabe/domain/account"
	"astrolabe/domain/event"
)

func TestCapabilitiesTellWhatTheCallerMaySearch(t *testing.T) {
	t.Parallel()
	wallet := newWallet(t, "")
	for name, c := range map[string]struct {
		headers []string
		want    bool
	}{
		"a key of a wallet workspace": {[]string{"X-Service-Api-Key", wallet.access.Key}, true},
		"its browser header":          {[]string{"X-Api-Key", wallet.access.Key}, true},
		"no key":                      {nil, false},
		"an unknown key":              {[]string{"X-Service-Api-Key", account.NewKeyText(account.Live).Reveal()}, false},
	} {
		search := decodeBody[capabilitiesBody](t, wallet.askWith(http.MethodGet, "/v1/meta/capabilities", c.headers...)).EventSearch
		if search.FullRange.Entitled != c.want || search.FullRange.RequiredWorkspacePlan != account.Wallet || search.Bounded.MaximumBlocksInclusive != event.MaxBlocks {
			t.Errorf("%s: got %+v, want entitled %t by the plan wallet and %d blocks", name, search, c.want, event.MaxBlocks)
		}
	}
	standard := newService(t, nil)
	if search := decodeBody[capabilitiesBody](t, standard.get("/v1/meta/capabilities")).EventSearch; search.FullRange.Entitled {
		t.Errorf("a key of a standard workspace: got %+v, want it not entitled", search)
	}
}
