package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

// issue posts a body to the route of API keys.
func (s *service) issue(bearer, media, body string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/v1/me/api-keys", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.holdToContract(request, response, text)
	return answer{response, string(text)}
}

func TestInvalidIssueRequestRotatesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	bearer := s.bearer()
	first := decodeBody[issuedBody](t, s.issue(bearer, "", ""))
	for _, c := range []struct {
		media, body string
		status      int
		code        domain.Code
	}{
		{"application/json", `{"label":"mine"}`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `{"scopes":["prove"]}`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `[]`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `null`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `"x"`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `{`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"application/json", `{} {}`, http.StatusBadRequest, domain.CodeInvalidRequest},
		{"text/plain", `{}`, http.StatusUnsupportedMediaType, domain.CodeUnsupportedMediaType},
		{"text/plain", ``, http.StatusUnsupportedMediaType, domain.CodeUnsupportedMediaType},
		{"application/x-www-form-urlencoded", `label=mine`, http.StatusUnsupportedMediaType, domain.CodeUnsupportedMediaType},
		{"", `{}`, http.StatusUnsupportedMediaType, domain.CodeUnsupportedMediaType},
		{"application/json", `{"x":"` + strings.Repeat("x", 2<<10) + `"}`, http.StatusRequestEntityTooLarge, domain.CodePayloadTooLarge},
	} {
		requireFailure(t, s.issue(bearer, c.media, c.body), c.status, c.code)
		if a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", first.PlaintextKey); a.StatusCode != http.StatusOK {
			t.Fatalf("after %q as %q: got %d for the key, want it valid still", c.body, c.media, a.StatusCode)
		}
	}
	if second := decodeBody[issuedBody](t, s.issue(bearer, "application/json", "{}")); second.Action != "rotated" {
		t.Errorf("an empty object: got %+v, want the key rotated", second)
	}
}
