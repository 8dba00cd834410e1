package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"astrolabe/domain"
)

// databaseSettings say where the data lives.
type databaseSettings struct {
	Data            string     `help:"Folder for everything this program keeps on disk. By default /var/lib/astrolabe for root, ~/.local/share/astrolabe for others." default:"${data}" type:"path" placeholder:"DIR"`
	DatabaseURL     secretText `help:"Use this Postgres instead of a private one in the data folder. A URL with a password belongs into the environment or into a file." env:"ASTROLABE_DATABASE_URL,DATABASE_URL" placeholder:"URL"`
	DatabaseURLFile string     `help:"Read the database URL from this file." type:"path" placeholder:"FILE"`
	DatabaseConns   int        `help:"Largest number of connections for writing, and as many for reading." default:"10"`
	PostgresBin     string     `help:"Folder of the Postgres server programs for the private database. Empty: search the usual places." type:"path" placeholder:"DIR"`
}

// secretSettings say where the master key comes from.
type secretSettings struct {
	MasterKey     secretText `help:"The master key that seals all stored secrets, 64 hex digits. Set it in the environment, never on the command line." hidden:""`
	MasterKeyFile string     `help:"Read the master key from this file. Created in the data folder when neither this nor ASTROLABE_MASTER_KEY is given." type:"path" placeholder:"FILE"`
}

// listenSettings say how the API is reached.
type listenSettings struct {
	Addr           string         `help:"Address of the API." default:"127.0.0.1:8080"`
	Chains         []domain.Chain `help:"The chains to serve." default:"SN_MAIN,SN_SEPOLIA"`
	Origins        []string       `help:"Web origins that may call with a session or a socket, for example https://explorer.example. API keys work from every origin." placeholder:"ORIGIN"`
	TrustedProxies []netip.Prefix `help:"Networks of reverse proxies whose X-Forwarded-For is believed, for example 10.0.0.0/8." placeholder:"CIDR"`
	Drain          time.Duration  `help:"How long requests may finish after a stop signal." default:"15s"`
	ScreeningTop   int            `help:"How many holders a holder screening shows." default:"100"`
	CacheMB        int            `help:"About how many megabytes of final blocks and transactions are remembered. 0: none." default:"64" name:"cache-mb"`

	documentSettings
	signinSettings
}

func (s databaseSettings) check() error {
	switch {
	case s.Data == "":
		return errors.New("--data is empty: name a folder")
	case s.DatabaseConns < 1:
		return errors.New("--database-conns must be at least 1")
	}
	return nil
}

func (l listenSettings) check() error {
	for i, c := range l.Chains {
		if slices.Contains(l.Chains[:i], c) {
			return fmt.Errorf("--chains names %s twice", c)
		}
	}
	for _, origin := range l.Origins {
		if !isOrigin(origin) {
			return fmt.Errorf("--origins: %q is not an origin such as https://explorer.example", origin)
		}
	}
	switch {
	case len(l.Chains) == 0:
		return errors.New("--chains is empty: name at least one")
	case l.Drain < 0:
		return errors.New("--drain must not be negative")
	case l.ScreeningTop < 1 || l.ScreeningTop > 1000:
		return errors.New("--screening-top must be from 1 to 1000")
	case l.CacheMB < 0 || l.CacheMB > 1<<20:
		return errors.New("--cache-mb must be from 0 to 1048576")
	}
	return firstError(checkAddress("--addr", l.Addr), l.signinSettings.check())
}

// isOrigin tells a scheme and a host as browsers write them: in lower case and
// without a port that the scheme implies.
func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != text || strings.ToLower(text) != text {
		return false
	}
	implied := parsed.Scheme == "http" && parsed.Port() == "80" || parsed.Scheme == "https" && parsed.Port() == "443"
	return !implied
}

func checkAddress(flag, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("%s must be HOST:PORT", flag)
	}
	return nil
}

// checkAdmin allows no admin address at all.
func checkAdmin(address string) error {
	if address == "" {
		return nil
	}
	return checkAddress("--admin-addr", address)
}

// firstError returns the first of several checks that failed.
func firstError(checks ...error) error {
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// secretText is a setting that never prints.
type secretText string

const redacted = "[redacted]"

// Format prints the word redacted for every verb.
func (s secretText) Format(f fmt.State, _ rune) {
	if s != "" {
		_, _ = io.WriteString(f, redacted)
	}
}

// LogValue keeps the setting out of structured logs.
func (s secretText) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// secretFrom returns a secret given directly or in a file, but not in both:
// which one wins would be a guess.
func secretFrom(name string, direct secretText, file string) (string, error) {
	switch {
	case direct != "" && file != "":
		return "", usageError{fmt.Errorf("the %s is given twice, directly and as a file: give one", name)}
	case file == "":
		return string(direct), nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", usageError{fmt.Errorf("read a secret: %w", err)}
	}
	return strings.TrimSpace(string(content)), nil
}

// printSettings writes one line per setting, by the environment variable that
// sets it.
func printSettings(w io.Writer, parsed *kong.Context) {
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) > 0 {
			fmt.Fprintf(w, "%s=%v\n", flag.Envs[0], flag.Target.Interface())
		}
	}
}

// defaultDataFolder is where data goes when nothing else is said: the
// system's place for a service of root, the user's own otherwise.
func defaultDataFolder() string {
	if os.Geteuid() == 0 {
		return "/var/lib/astrolabe"
	}
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "astrolabe")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // nowhere is safe to guess: --data must say
	}
	return filepath.Join(home, ".local", "share", "astrolabe")
}
