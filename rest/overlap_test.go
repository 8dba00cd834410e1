package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

func TestRotatedKeyStaysValidForTheOverlap(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	bearer := "Bearer " + s.bearer()
	rotate := func(body string) answer {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/me/api-keys", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", bearer)
		request.Header.Set("Content-Type", "application/json")
		response, err := s.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		s.holdToContract(request, response, text)
		return answer{response, string(text)}
	}
	status := func(key string) int {
		return s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key).StatusCode
	}
	first := decodeBody[issuedBody](t, rotate(`{}`))
	second := decodeBody[issuedBody](t, rotate(`{"overlapSeconds":3600}`))
	if second.Action != "rotated" || len(second.RevokedPublicIDs) != 1 || status(first.PlaintextKey) != http.StatusOK || status(second.PlaintextKey) != http.StatusOK {
		t.Errorf("got %+v, want both keys valid", second)
	}
	for _, body := range []string{`{"overlapSeconds":-1}`, `{"overlapSeconds":86401}`, `{"overlapSeconds":9223372036854775807}`, `{"overlapSeconds":"1"}`, `{"overlap":1}`, `[]`} {
		requireFailure(t, rotate(body), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	third := decodeBody[issuedBody](t, rotate(``))
	for name, key := range map[string]issuedBody{"first": first, "second": second} {
		if got := status(key.PlaintextKey); got != http.StatusUnauthorized {
			t.Errorf("%s key after a rotation without an overlap: got status %d, want 401", name, got)
		}
	}
	if got := status(third.PlaintextKey); got != http.StatusOK {
		t.Errorf("newest key: got status %d, want 200", got)
	}
}
