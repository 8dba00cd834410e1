package web_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/web/browsertest"
)

// hostileQuery contains characters that are special to shells, JavaScript, Go
// or JSON.
const hostileQuery = `query Hostile($text: String!) {
  # it's "quoted" ` + "`twice`" + ` \ \n $HOME ${HOME} $(id) %s é 😀 </script>
  search(text: $text) { key }
}`

var hostileVariables = map[string]any{"text": "it's `a` \"b\" \\ ${x} $(id)\n\ttab é 😀", "list": []any{true, nil, 1.0}}

const hostileVariablesText = `{"text": "it's ` + "`a`" + ` \"b\" \\ ${x} $(id)\n\ttab é 😀", "list": [true, null, 1]}`

const shareButton = chromedp.CSS(`button[aria-label="Share link, or copy as code"]`)

// sharedAs opens the dialog, selects a format and returns its text.
func sharedAs(tab *browsertest.Tab, form string) string {
	tab.Do(
		browsertest.Await(`[...document.querySelectorAll('.share-forms label')].find((one) => one.textContent === '`+form+`')?.click() === undefined`),
		browsertest.Await(`document.querySelector('.share-forms :checked').parentElement.textContent === '`+form+`'`),
	)
	return browsertest.Get(tab, chromedp.Evaluate[string](`document.querySelector('.share-text').textContent`))
}

func TestGraphiQLSharesAnOperationWithoutTheKey(t *testing.T) { //nolint:tparallel // the subtests are steps in one tab
	t.Parallel()
	graph := &graphqlServer{}
	fragment := url.Values{"query": {hostileQuery}, "variables": {hostileVariablesText}}.Encode()
	tab := openGraphiQLAt(t, graph, "#"+fragment)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		waitForTab("Hostile"),
		browsertest.Await(`location.hash === ''`),
		browsertest.Press(shareButton),
		browsertest.AwaitVisible(".share-text"),
	)
	link := sharedAs(tab, "Link")
	texts := map[string]string{}
	for _, form := range []string{"curl", "TypeScript", "Go"} {
		texts[form] = sharedAs(tab, form)
	}
	for form, text := range map[string]string{"Link": link, "curl": texts["curl"], "TypeScript": texts["TypeScript"], "Go": texts["Go"]} {
		if strings.Contains(text, key) || strings.Contains(text, "page-token") {
			t.Errorf("%s: got a credential in it, want none:\n%s", form, text)
		}
	}

	parsed, err := url.Parse(link)
	if err != nil || parsed.RawQuery != "" {
		t.Fatalf("got the link %s and %v, want a fragment without a query", link, err)
	}
	shared, err := url.ParseQuery(parsed.EscapedFragment())
	if err != nil || shared.Get("query") != hostileQuery || shared.Get("variables") != hostileVariablesText || len(shared) != 2 {
		t.Errorf("got the link content %q and %v, want the operation and its variables", shared, err)
	}
	for form, run := range map[string]func(*testing.T, string){"curl": runShell, "TypeScript": runNode, "Go": runGo} {
		t.Run(form, func(t *testing.T) {
			run(t, texts[form])
			if got := graph.question(); got.Query != hostileQuery || !reflect.DeepEqual(got.Variables, hostileVariables) {
				t.Errorf("got %q with %#v, want %q with %#v", got.Query, got.Variables, hostileQuery, hostileVariables)
			}
		})
	}

	// A link that is pasted into the address bar of the open page opens, too.
	tab.Do(
		browsertest.Press(".graphiql-dialog-close"),
		browsertest.ReplaceText(queryEditor, "query Other { service { version } }"),
		browsertest.Await(`document.querySelector('.graphiql-tab-active, .graphiql-tab')?.textContent.includes('Other')`),
		chromedp.Evaluate[chromedp.Void](`void (location.hash = '`+parsed.EscapedFragment()+`')`),
		browsertest.Await(`document.querySelectorAll('.graphiql-tab-button')[1]?.textContent === 'Hostile'`),
		browsertest.Press(shareButton),
		browsertest.AwaitVisible(".share-text"),
	)
	if again := sharedAs(tab, "Link"); again != link {
		t.Errorf("got the link %s, want %s", again, link)
	}
	tab.AssertQuiet()
}

// runShell runs a command as a user with a key would.
func runShell(t *testing.T, text string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	runWithKey(t, exec.Command("sh", "-c", text))
}

// runNode runs a JavaScript module.
func runNode(t *testing.T, text string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed")
	}
	runWithKey(t, exec.Command("node", written(t, "ask.mjs", text)))
}

func runGo(t *testing.T, text string) {
	t.Helper()
	runWithKey(t, exec.Command("go", "run", written(t, "ask.go", text)))
}

// written writes a file into a new folder.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runWithKey runs a program that prints the response.
func runWithKey(t *testing.T, command *exec.Cmd) {
	t.Helper()
	command.Env = append(os.Environ(), "ASTROLABE_API_KEY="+key)
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), version) {
		t.Errorf("got %v and %s, want the version %s", err, out, version)
	}
}
