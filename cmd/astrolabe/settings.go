package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/graph"
	"astrolabe/rest"
	"astrolabe/starknet"
)

// databaseSettings configure the database and the data folder.
type databaseSettings struct {
	Data                  string     `help:"Data folder. Default: /var/lib/astrolabe for root, ~/.local/share/astrolabe for other users." default:"${data}" type:"path" placeholder:"DIR"`
	DatabaseURL           secretText `help:"Use this Postgres database instead of a private server in the data folder. Pass URLs with a password through the environment or a file." placeholder:"URL"`
	DatabaseURLFile       string     `help:"Read the database URL from this file." type:"path" placeholder:"FILE"`
	DatabaseSchema        string     `help:"Schema of the tables in the database." default:"astrolabe"`
	DatabaseDirectURL     secretText `help:"URL of the database server itself, required if --database-url is a pooler such as pgbouncer. Migrations and notifications use it." placeholder:"URL"`
	DatabaseDirectURLFile string     `help:"Read the URL of the database server itself from this file." type:"path" placeholder:"FILE"`
	DatabaseReadURL       secretText `help:"URL of a streaming replica of the database. Reads of API requests use it while it is up to date, and the primary otherwise." placeholder:"URL"`
	DatabaseReadURLFile   string     `help:"Read the URL of the replica from this file." type:"path" placeholder:"FILE"`
	DatabaseConns         int        `help:"Maximum number of database connections of the process, from 9 to 1000. A replica gets at most half as many." default:"20"`
	PostgresBin           string     `help:"Folder of the Postgres server binaries for the private server. Default: search the usual locations." type:"path" placeholder:"DIR"`
}

// secretSettings configure the master key.
type secretSettings struct {
	MasterKey     secretText `help:"Master key that encrypts the stored secrets, 64 hex digits. Set it in the environment, never on the command line." hidden:""`
	MasterKeyFile string     `help:"Read the master key from this file. Without it and without ASTROLABE_MASTER_KEY, the key is master.key in the data folder, created at the first start." type:"path" placeholder:"FILE"`
}

// listenSettings configure the API.
type listenSettings struct {
	Addr            string         `help:"Listen address of the API." default:"127.0.0.1:8080"`
	Chains          []domain.Chain `help:"Chains to serve." default:"SN_MAIN,SN_SEPOLIA"`
	Origins         []string       `help:"Web origins that may send sessions or open WebSockets, for example https://explorer.example. API keys work from every origin." placeholder:"ORIGIN"`
	TrustedProxies  []netip.Prefix `help:"Networks of reverse proxies whose X-Forwarded-For header is trusted, for example 10.0.0.0/8." placeholder:"CIDR"`
	MaxConnections  int            `help:"Maximum number of open connections to the API. Health checks are answered even above this limit." default:"4096"`
	Drain           time.Duration  `help:"Time for open requests to finish after a stop signal." default:"15s"`
	ScreeningTop    int            `help:"Number of holders in a holder screening." default:"100"`
	SecurityContact []string       `help:"Contacts for security reports, published at /.well-known/security.txt, for example mailto:security@explorer.example. Default: none is published." placeholder:"URI"`
	CacheMB         int            `help:"Approximate size of the in-memory cache of blocks and transactions, in MB. 0 disables it." default:"64" name:"cache-mb"`

	documentSettings
	signinSettings `group:"Sign-in"`
}

// maxIdentifier is the longest name in a Postgres database, in bytes.
const maxIdentifier = 63

// minConns are the connections that a process needs: its listeners, and two each
// for writes and for reads.
const minConns = listeners + 4

// maxConns bounds the connections of a process: a Postgres server with more is
// rare, and every one costs it memory.
const maxConns = 1000

func (s databaseSettings) check() error {
	switch {
	case s.Data == "":
		return errors.New("--data must name a folder")
	case s.DatabaseConns < minConns || s.DatabaseConns > maxConns:
		return fmt.Errorf("--database-conns must be from %d to %d", minConns, maxConns)
	}
	return checkSchema(s.DatabaseSchema)
}

// checkSchema refuses names that Postgres reserves, cuts off or takes only in
// quotes, which operators would have to write in every query of their own.
func checkSchema(name string) error {
	if name == "" { // the default
		return nil
	}
	if len(name) > maxIdentifier || !plainName.MatchString(name) || strings.HasPrefix(name, "pg_") || name == "information_schema" {
		return fmt.Errorf("--database-schema must consist of lower-case letters, digits and underscores, must not begin with a digit or pg_, "+
			"must not be information_schema and may have at most %d characters", maxIdentifier)
	}
	return nil
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

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
	for _, contact := range l.SecurityContact {
		if !rest.IsContact(contact) {
			return fmt.Errorf("--security-contact: %q is not a mailto:, https: or tel: URI", contact)
		}
	}
	switch {
	case len(l.Chains) == 0:
		return errors.New("--chains must name at least one chain")
	case l.MaxConnections < 1:
		return errors.New("--max-connections must be at least 1")
	case l.Drain < 0:
		return errors.New("--drain must not be negative")
	case l.ScreeningTop < 1 || l.ScreeningTop > 1000:
		return errors.New("--screening-top must be from 1 to 1000")
	case l.CacheMB < 0 || l.CacheMB > 1<<20:
		return errors.New("--cache-mb must be from 0 to 1048576")
	}
	return firstError(checkAddress("--addr", l.Addr), l.documentSettings.check(), l.signinSettings.check())
}

// isOrigin reports whether text is an origin as browsers write it: scheme and
// host in lower case, without the default port.
func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != text || strings.ToLower(text) != text {
		return false
	}
	implied := parsed.Scheme == "http" && parsed.Port() == "80" || parsed.Scheme == "https" && parsed.Port() == "443"
	return !implied
}

func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s must be HOST:PORT, not %q", flag, address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s: the port must be a number from 0 to 65535, not %q", flag, port)
	}
	return nil
}

// free returns an error unless a process can listen on every address that is set,
// by the name of its flag. It is asked before anything starts, so that a mistake
// leaves nothing behind.
func free(ctx context.Context, addresses map[string]string) error {
	flags := map[string]string{} // by their addresses
	for _, flag := range slices.Sorted(maps.Keys(addresses)) {
		address := addresses[flag]
		if address == "" {
			continue
		}
		if other := flags[address]; other != "" && !strings.HasSuffix(address, ":0") {
			return usageError{fmt.Errorf("%s and %s are the same address; choose another port for one of them", other, flag)}
		}
		flags[address] = flag
		listener, err := listenOn(ctx, address, flag)
		if err != nil {
			return err
		}
		defer func() { _ = listener.Close() }() // when all are open: two flags may name one address
	}
	return nil
}

// checkAdmin checks the admin address, which may be empty.
func checkAdmin(address string) error {
	if address == "" {
		return nil
	}
	return checkAddress("--admin-addr", address)
}

// firstError returns the first error of several checks.
func firstError(checks ...error) error {
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// poolSettings name the privacy pools of the chains.
type poolSettings struct {
	PrivacyPool []poolSetting `help:"Privacy pool whose events are indexed, for example SN_MAIN=0x123. Repeat the flag for several pools. Default: the known pool of the chain." placeholder:"CHAIN=ADDRESS"`
}

// of returns the pools that are set for a chain; nil if none is.
func (s poolSettings) of(c domain.Chain) (pools []starknet.Felt) {
	for _, pool := range s.PrivacyPool {
		if pool.chain == c {
			pools = append(pools, pool.address)
		}
	}
	return pools
}

// orKnown returns the pools that are set for a chain, or its known pools.
func (s poolSettings) orKnown(c domain.Chain) []starknet.Felt {
	if pools := s.of(c); pools != nil {
		return pools
	}
	return privacy.KnownPools(c)
}

// poolSetting is a privacy pool, written CHAIN=ADDRESS.
type poolSetting struct {
	chain   domain.Chain
	address starknet.Felt
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *poolSetting) UnmarshalText(text []byte) error {
	chain, address, found := strings.Cut(string(text), "=")
	if !found {
		return fmt.Errorf("%q is not CHAIN=ADDRESS, for example SN_MAIN=0x123", text)
	}
	if err := p.chain.UnmarshalText([]byte(chain)); err != nil {
		return err
	}
	if err := p.address.UnmarshalText([]byte(address)); err != nil {
		return err
	}
	if p.address.IsZero() || p.address.BitLen() > 251 {
		return fmt.Errorf("%s is not the address of a contract", p.address)
	}
	return nil
}

// String returns the setting as it is written.
func (p poolSetting) String() string { return fmt.Sprintf("%s=%s", p.chain, p.address) }

// secretText is a setting that never prints.
type secretText string

const redacted = "[redacted]"

// Format prints a placeholder for every verb.
func (s secretText) Format(f fmt.State, _ rune) {
	if s != "" {
		_, _ = io.WriteString(f, redacted)
	}
}

// LogValue keeps the setting out of structured logs.
func (s secretText) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// secretFrom returns a secret that is set with a flag, or in the file of the flag
// with the suffix -file. Setting both is an error, because neither obviously takes
// precedence.
func secretFrom(flag string, direct secretText, file string) (string, error) {
	switch {
	case direct != "" && file != "":
		return "", usageError{fmt.Errorf("both %s and %[1]s-file are set; set only one", flag)}
	case file == "":
		return string(direct), nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", usageError{fmt.Errorf("%s-file: %w", flag, err)}
	}
	return strings.TrimSpace(string(content)), nil
}

// printSettings prints every setting as the environment variable that sets it.
func printSettings(w io.Writer, parsed *kong.Context) {
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) > 0 {
			fmt.Fprintf(w, "%s=%v\n", flag.Envs[0], flag.Target.Interface())
		}
	}
}

// defaultDataFolder returns the default of --data: the system folder for root,
// the user's data folder otherwise.
func defaultDataFolder() string {
	if os.Geteuid() == 0 {
		return "/var/lib/astrolabe"
	}
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "astrolabe")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // there is no safe default, so --data is required
	}
	return filepath.Join(home, ".local", "share", "astrolabe")
}

// documentSettings name the manifests of GraphQL documents.
type documentSettings struct {
	GraphqlDocuments []string `help:"Manifests of GraphQL documents that clients can run by id, in the formats of relay-compiler and Apollo." placeholder:"FILE"`
}

// check reads the manifests, so that a bad one is rejected before anything
// starts.
func (s documentSettings) check() error {
	_, err := s.documents()
	return err
}

// documents reads the manifests.
func (s documentSettings) documents() (graph.Documents, error) {
	documents := graph.Documents{}
	for _, file := range s.GraphqlDocuments {
		manifest, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError{fmt.Errorf("--graphql-documents: %w", err)}
		}
		if err := documents.Add(manifest); err != nil {
			return nil, usageError{fmt.Errorf("--graphql-documents: %s: %w", file, err)}
		}
	}
	return documents, nil
}
