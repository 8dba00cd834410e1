package main

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"astrolabe/pg/pgtest"
)

// marks are secrets that can be found again in any output.
const (
	markedMaster   = "8f1c6ad3e27b904d5a3ef86b17c2d9400eb56f7381dca92e64f03b7d95a81c2e"
	markedPassword = "marked-database-password"
	markedNodeKey  = "marked-node-key"
	markedAPIKey   = "svc_live_markedkey000_markedmarkedmarkedmarkedmarkedmarkedmarked"
)

// TestSecretsAppearNowhere runs the program with marked secrets, uses and
// misuses it, makes it crash, and searches its whole output.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer refusing.Close()
	database, err := url.Parse(pgtest.Database(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	database.User = url.UserPassword(database.User.Username(), markedPassword)
	environment := []string{
		"ASTROLABE_DATABASE_URL=" + database.String(),
		"ASTROLABE_MASTER_KEY=" + markedMaster,
		"ASTROLABE_NODE_MAIN=" + refusing.URL + "/" + markedNodeKey,
		"ASTROLABE_DATA=" + t.TempDir(),
		"ASTROLABE_LOG_LEVEL=debug", "ASTROLABE_POLL=10ms",
	}
	p := start(t, environment, append([]string{"up"}, anyPort...)...)
	base := p.ready(t)
	said := strings.Builder{}
	for _, path := range []string{"/v1/SN_MAIN/status", "/v1/SN_MAIN/nothing?key=" + markedAPIKey, "/rpc/v0_10/SN_MAIN/" + markedAPIKey, "/openapi.json"} {
		request, err := http.NewRequest(http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Service-Api-Key", markedAPIKey)
		request.Header.Set("Authorization", "Bearer "+markedAPIKey)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Write(&said)
		response.Body.Close()
	}
	said.WriteString(get(t, readDemo(t, dataOf(environment)).AdminURL+"/metrics"))
	said.WriteString(get(t, readDemo(t, dataOf(environment)).AdminURL+"/debug/pprof/cmdline"))
	_ = p.cmd.Process.Signal(syscall.SIGQUIT) // crashes with the stacks of all goroutines
	p.wait(t)
	if !strings.Contains(p.text(), "goroutine ") {
		t.Fatal("got a crash without stacks, want them, so that there is something to search")
	}
	said.WriteString(p.text())

	broken := start(t, append(environment, "ASTROLABE_DATABASE_URL=postgres://user:"+markedPassword+"@127.0.0.1:1/none"), "migrate", "up")
	broken.wait(t)
	said.WriteString(broken.text())

	raw, err := hex.DecodeString(markedMaster)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{
		markedMaster, string(raw), base64.StdEncoding.EncodeToString(raw), markedPassword, markedNodeKey,
		markedAPIKey, "markedmarked",
	} {
		if at := strings.Index(said.String(), mark); at >= 0 {
			t.Errorf("got %q in …%s…, want no secret", mark, said.String()[max(0, at-200):min(said.Len(), at+100)])
		}
	}
}

func dataOf(environment []string) string {
	for _, variable := range environment {
		if data, ok := strings.CutPrefix(variable, "ASTROLABE_DATA="); ok {
			return data
		}
	}
	return ""
}
