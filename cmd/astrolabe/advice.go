package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/alecthomas/kong"

	"astrolabe/domain"
)

// advice completes the repairs that fsck prints, so that they run as they are
// printed.
type advice struct {
	flags []*kong.Flag // that fsck was started with; the environment applies by itself
	nodes nodeSettings
	notes []string
}

// passed returns the flags that were passed as arguments.
func passed(parsed *kong.Context) (flags []*kong.Flag) {
	for _, element := range parsed.Path {
		if element.Flag != nil && !element.Resolved {
			flags = append(flags, element.Flag)
		}
	}
	return flags
}

// everyCommand and repairOnly are the flags that a printed command takes over.
var (
	everyCommand = []string{"data", "database-url", "database-url-file", "database-direct-url", "database-direct-url-file", "database-schema", "postgres-bin"}
	repairOnly   = []string{"node-main", "node-sepolia", "node-header", "node-header-file", "node-rps"}
)

// line returns a repair as it is printed: a command with the flags that fsck was
// started with, or SQL. A flag that may hold a secret stays out, and a note names
// the variable to set instead.
func (a *advice) line(chain domain.Chain, repair string) string {
	if !strings.HasPrefix(repair, "astrolabe ") {
		return "repair with SQL: " + repair
	}
	return "repair: " + a.command(chain, repair)
}

// command returns a command with the flags that this program was started with.
func (a *advice) command(chain domain.Chain, repair string) string {
	repairs := strings.HasPrefix(repair, "astrolabe repair ")
	for _, flag := range a.flags {
		if !slices.Contains(everyCommand, flag.Name) && (!repairs || !slices.Contains(repairOnly, flag.Name)) {
			continue
		}
		value, secret := flagText(flag)
		if secret {
			a.note("--%s may hold a secret and is not printed; set %s before you run the repairs", flag.Name, flag.Envs[0])
			continue
		}
		repair += " --" + flag.Name + "=" + shellescape.Quote(value)
	}
	if repairs && len(a.nodes.urls()[chain]) == 0 && asksNode(repair) {
		a.note("repair --block, --class and --entry need a node of %s: pass --node-main or --node-sepolia, or set its variable", chain)
	}
	return repair
}

// note adds a note once.
func (a *advice) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.notes, text) {
		a.notes = append(a.notes, text)
	}
}

func asksNode(repair string) bool {
	return slices.ContainsFunc([]string{" --block ", " --class ", " --entry "}, func(flag string) bool { return strings.Contains(repair, flag) })
}

// flagText returns the value of a flag as it is written, and whether it may hold
// a secret.
func flagText(flag *kong.Flag) (value string, secret bool) {
	switch value := flag.Target.Interface().(type) {
	case secretText:
		return string(value), holdsSecret(string(value))
	case []secretText:
		texts := make([]string, len(value))
		for i := range value {
			texts[i] = string(value[i])
			secret = secret || flag.Name == "node-header" || holdsSecret(texts[i])
		}
		return strings.Join(texts, ","), secret
	default:
		return fmt.Sprint(value), false
	}
}

// longestName is the length of a path segment that is still taken for a name.
// API keys are longer.
const longestName = 16

// holdsSecret reports whether a URL may hold a password or an API key: in its
// user, its query or a long segment of its path. Queries of database URLs hold
// settings.
func holdsSecret(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return true
	}
	if _, password := u.User.Password(); password || u.Query().Has("password") {
		return true
	}
	if u.Scheme == "postgres" || u.Scheme == "postgresql" {
		return false
	}
	return u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		slices.ContainsFunc(strings.Split(u.Path, "/"), func(segment string) bool { return len(segment) > longestName })
}
