package main

import (
	"strings"
	"testing"
)

func TestAdminAddressBeyondLoopbackWarns(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	for address, warns := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		p := start(t, []string{"ASTROLABE_DATABASE_URL=" + k.url}, "serve", "--data", k.data, "--addr", "127.0.0.1:0", "--admin-addr", address)
		p.ready(t)
		if got := strings.Contains(p.text(), "other machines can reach the admin address"); got != warns {
			t.Errorf("%s: got a warning %t, want %t:\n%s", address, got, warns, p.text())
		}
		p.stop(t)
	}
}
