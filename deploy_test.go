package astrolabe_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestMetricsOfDashboardsAndAlertsAreDocumented holds the metrics in deploy to
// the table in docs/operating.md, which a test of the program holds to what the
// program serves.
func TestMetricsOfDashboardsAndAlertsAreDocumented(t *testing.T) {
	t.Parallel()
	guide := read(t, "docs/operating.md")
	suffix := regexp.MustCompile(`_(bucket|count|sum)$`)
	for _, path := range []string{"deploy/prometheus/alerts.yml", "deploy/grafana/dashboards/astrolabe.json"} {
		names := regexp.MustCompile(`\bastrolabe_[a-z_]+`).FindAllString(read(t, path), -1)
		if len(names) < 10 {
			t.Errorf("%s: got %d metrics, want at least 10", path, len(names))
		}
		for _, name := range names {
			if !strings.Contains(guide, "`"+suffix.ReplaceAllString(name, "")+"`") {
				t.Errorf("%s: got the metric %s, want one that docs/operating.md lists", path, name)
			}
		}
	}
}

// TestEachAlertIsExplained wants advice for operators for every alert.
func TestEachAlertIsExplained(t *testing.T) {
	t.Parallel()
	guide := read(t, "docs/operating.md")
	for _, alert := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(read(t, "deploy/prometheus/alerts.yml"), -1) {
		if !strings.Contains(guide, "| `"+alert[1]+"` |") {
			t.Errorf("docs/operating.md: got no row for the alert %s, want one", alert[1])
		}
	}
}

func TestPanelsOfTheDashboardDoNotOverlap(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct {
			Title   string
			GridPos struct{ H, W, X, Y int }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "deploy/grafana/dashboards/astrolabe.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for i, a := range dashboard.Panels {
		for _, b := range dashboard.Panels[:i] {
			p, q := a.GridPos, b.GridPos
			if p.X < q.X+q.W && q.X < p.X+p.W && p.Y < q.Y+q.H && q.Y < p.Y+p.H {
				t.Errorf("got %q over %q, want them apart", a.Title, b.Title)
			}
		}
	}
}

// TestDeploymentsUseSettingsThatExist holds the commands and environment
// variables of the compose file and of the systemd units to the reference.
func TestDeploymentsUseSettingsThatExist(t *testing.T) {
	t.Parallel()
	help := sections(read(t, "docs/commands.md"))
	known := func(where string, command []string) {
		name := command[0]
		if name == "migrate" {
			name += " " + command[1]
		}
		if help[name] == "" {
			t.Errorf("%s: got the command %q, want one that docs/commands.md describes", where, name)
		}
		for _, argument := range command {
			flag, _, _ := strings.Cut(argument, "=")
			if strings.HasPrefix(flag, "--") && !strings.Contains(help[name], " "+flag) {
				t.Errorf("%s: got %s %s, want a flag that docs/commands.md describes", where, name, flag)
			}
		}
	}
	var file struct {
		Services map[string]struct{ Command []string }
	}
	compose := read(t, "compose.yaml")
	if err := yaml.Unmarshal([]byte(compose), &file); err != nil {
		t.Fatal(err)
	}
	var commands []string
	for service, s := range file.Services {
		if len(s.Command) > 0 {
			known("compose.yaml: "+service, s.Command)
			commands = append(commands, s.Command[0])
		}
	}
	slices.Sort(commands)
	if got, want := strings.Join(commands, " "), "index migrate serve serve work"; got != want {
		t.Errorf("compose.yaml: got the processes %s, want %s", got, want)
	}
	units, err := filepath.Glob("deploy/systemd/*.service")
	if err != nil || len(units) != 3 {
		t.Fatalf("got the units %v and %v, want three", units, err)
	}
	environment := compose + read(t, "deploy/env.example") + read(t, "Containerfile")
	for _, unit := range units {
		text := read(t, unit)
		environment += text
		command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/astrolabe (.*)$`).FindStringSubmatch(text)
		if command == nil {
			t.Errorf("%s: got no command, want one", unit)
			continue
		}
		known(unit, strings.Fields(command[1]))
	}
	ours := []string{"ASTROLABE_MASTER_KEY", "ASTROLABE_VERSION", "ASTROLABE_PORT"} // the first has no flag, the others are of compose.yaml
	for _, name := range regexp.MustCompile(`\bASTROLABE_[A-Z_]+`).FindAllString(environment, -1) {
		if !slices.Contains(ours, name) && !strings.Contains(read(t, "docs/commands.md"), "$"+name) {
			t.Errorf("got the environment variable %s, want one that docs/commands.md describes", name)
		}
	}
}

// sections splits docs/commands.md by command.
func sections(page string) map[string]string {
	parts := map[string]string{}
	for _, section := range strings.Split(page, "\n## astrolabe")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		parts[strings.TrimSpace(name)] = body
	}
	return parts
}
