package relay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestSettingsOfTheRelayAreChecked(t *testing.T) {
	t.Parallel()
	good := Settings{Prover: "http://127.0.0.1:1/key", ProverTimeout: time.Minute, ProverConcurrency: 1, ProverKeyJobs: 1, ProverKeyDaily: 1, ProverQueue: 1, ProverDrain: time.Second}
	for name, c := range map[string]struct {
		change func(*Settings)
		want   string // what the error names; empty for none
	}{
		"good":                 {func(*Settings) {}, ""},
		"disabled":             {func(s *Settings) { *s = Settings{} }, ""},
		"disabled with peers":  {func(s *Settings) { *s = Settings{InternalAddr: "127.0.0.1:1"} }, "--internal-addr needs --prover"},
		"simulated":            {func(s *Settings) { s.Prover = Simulated }, "--prover sim"},
		"no URL":               {func(s *Settings) { s.Prover = "ftp://marked" }, "--prover: "},
		"no queue":             {func(s *Settings) { s.ProverQueue = 0 }, "--prover-queue"},
		"no time":              {func(s *Settings) { s.ProverTimeout = 0 }, "--prover-timeout"},
		"loopback":             {func(s *Settings) { s.InternalAddr = "127.0.0.1:0" }, ""},
		"loopback of IPv6":     {func(s *Settings) { s.InternalAddr = "[::1]:0" }, ""},
		"no port":              {func(s *Settings) { s.InternalAddr = "127.0.0.1" }, "--internal-addr must be"},
		"network in the clear": {func(s *Settings) { s.InternalAddr = "10.0.0.1:1" }, "--internal-cert"},
		"a name in the clear":  {func(s *Settings) { s.InternalAddr = "localhost:1" }, "--internal-cert"},
		"every interface":      {func(s *Settings) { s.InternalAddr, s.InternalCert, s.InternalKey = ":1", "c", "k" }, "--internal-advertise"},
		"advertised": {func(s *Settings) {
			s.InternalAddr, s.InternalCert, s.InternalKey, s.InternalAdvertise = ":1", "c", "k", "api-1:1"
		}, ""},
		"network with TLS":        {func(s *Settings) { s.InternalAddr, s.InternalCert, s.InternalKey = "10.0.0.1:1", "c", "k" }, ""},
		"certificate without key": {func(s *Settings) { s.InternalAddr, s.InternalCert = "10.0.0.1:1", "c" }, "must be set together"},
		"advertised nothing":      {func(s *Settings) { s.InternalAdvertise = "a:1" }, "need --internal-addr"},
	} {
		s := good
		c.change(&s)
		err := s.CheckProver([]domain.Chain{domain.Mainnet}, false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err != nil && strings.Contains(err.Error(), "marked") {
			t.Errorf("%s: got %v, want an error that names %q", name, err, c.want)
		}
	}
	if err := good.CheckProver([]domain.Chain{domain.Sepolia}, false); err == nil {
		t.Error("got a relay without SN_MAIN accepted, want an error")
	}
	if text := fmt.Sprintf("%v %+v %#v %s", good, good, good.Prover, good.Prover); strings.Contains(text, "key") && strings.Contains(text, "/key") {
		t.Errorf("got %s, want the URL redacted", text)
	}
}
