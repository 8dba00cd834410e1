package relay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/prover"
)

// Simulated is the value of --prover that starts a simulated prover.
const Simulated = "sim"

// Settings configure the relay. Without a prover, nothing of it runs.
type Settings struct {
	Prover            URL           `help:"URL of a Starknet transaction prover for SN_MAIN, or sim for a simulated one (up only). It enables the prover relay. The URL is never printed; pass one with a password or key through the environment." placeholder:"URL"`
	ProverTimeout     time.Duration `help:"Time limit of a proof. A job that exceeds it ends with the status unknown_delivery." default:"15m"`
	ProverConcurrency int           `help:"Maximum number of requests to the prover at the same time, from this process." default:"2"`
	ProverKeyJobs     int           `help:"Maximum number of unfinished proof jobs of an API key. For single keys, see --rate-limit of keys create." default:"2"`
	ProverKeyDaily    int           `help:"Maximum number of proof jobs that an API key creates in a UTC day." default:"50"`
	ProverQueue       int           `help:"Maximum number of proof jobs of all workspaces that wait for the prover." default:"64"`
	ProverDrain       time.Duration `help:"Time that proofs in progress have to finish after a stop signal. Their results can then be polled for 10s, before --drain begins." default:"20s"`

	InternalAddr      string `help:"Listen address for other API processes, which fetch the results of proof jobs here. Needed if several processes relay. Addresses other than loopback need a certificate. Default: none." placeholder:"HOST:PORT"`
	InternalAdvertise string `help:"Address at which other API processes reach --internal-addr. Default: the listen address." placeholder:"HOST:PORT"`
	InternalCert      string `help:"File of the TLS certificate of --internal-addr, in PEM. It is read again for every connection." type:"path" placeholder:"FILE"`
	InternalKey       string `help:"File of the key of --internal-cert, in PEM." type:"path" placeholder:"FILE"`
	InternalCA        string `help:"File of the CA certificates, in PEM, that sign the certificates of other API processes. Default: those of the system." type:"path" placeholder:"FILE"`
}

// URL is the address of a prover, which never prints.
type URL string

// Format prints a placeholder for every verb.
func (u URL) Format(f fmt.State, _ rune) {
	if u != "" {
		_, _ = io.WriteString(f, "[redacted]")
	}
}

// LogValue keeps the address out of structured logs.
func (u URL) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(u)) }

// Enabled reports whether the relay runs.
func (s Settings) Enabled() bool { return s.Prover != "" }

// CheckProver checks the settings of a process that serves these chains.
func (s Settings) CheckProver(chains []domain.Chain, maySimulate bool) error {
	if !s.Enabled() {
		if s.InternalAddr != "" {
			return errors.New("--internal-addr needs --prover: it serves proof jobs only")
		}
		return nil
	}
	switch {
	case s.Prover == Simulated && !maySimulate:
		return errors.New("--prover sim starts a simulated prover with up only; set a URL")
	case !slices.Contains(chains, domain.Mainnet):
		return fmt.Errorf("--prover requires %s in --chains", domain.Mainnet)
	case s.ProverTimeout <= 0 || s.ProverDrain <= 0:
		return errors.New("--prover-timeout and --prover-drain must be positive")
	case min(s.ProverConcurrency, s.ProverKeyJobs, s.ProverKeyDaily, s.ProverQueue) < 1:
		return errors.New("--prover-concurrency, --prover-key-jobs, --prover-key-daily and --prover-queue must be at least 1")
	}
	if s.Prover != Simulated {
		if _, err := prover.New(prover.Options{URL: string(s.Prover)}); err != nil {
			return fmt.Errorf("--prover: %w", err)
		}
	}
	return s.checkInternal()
}

func (s Settings) checkInternal() error {
	if s.InternalAddr == "" {
		if s.InternalAdvertise != "" || s.InternalCert != "" || s.InternalKey != "" || s.InternalCA != "" {
			return errors.New("--internal-advertise, --internal-cert, --internal-key and --internal-ca need --internal-addr")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(s.InternalAddr)
	if err != nil {
		return errors.New("--internal-addr must be HOST:PORT")
	}
	if _, _, err := net.SplitHostPort(cmp.Or(s.InternalAdvertise, s.InternalAddr)); err != nil {
		return errors.New("--internal-advertise must be HOST:PORT")
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case (s.InternalCert == "") != (s.InternalKey == ""):
		return errors.New("--internal-cert and --internal-key must be set together")
	case s.InternalCert == "" && (err != nil || !ip.IsLoopback()):
		return errors.New("--internal-addr is not a loopback address such as 127.0.0.1:8082, so it needs --internal-cert and --internal-key: results must not cross a network in the clear")
	case s.InternalAdvertise == "" && (host == "" || err == nil && ip.IsUnspecified()):
		return errors.New("--internal-addr names every interface, so --internal-advertise must say where other processes reach it")
	}
	return nil
}
