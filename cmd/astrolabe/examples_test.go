package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/web/browsertest"
)

// consoleFolder is where GraphiQL's sources are.
const consoleFolder = "../../web/graphiql"

// example is a worked query of GraphiQL.
type example struct {
	title, permission, operation, query string
}

var (
	exampleNeeds     = regexp.MustCompile(`(?m)^# Needs a key with the permission: (\w+)$`)
	exampleOperation = regexp.MustCompile(`(?m)^(?:query|subscription) (\w+)`)
	exampleVariable  = regexp.MustCompile(`\$(\w+):`)
)

// readExamples reads the committed examples, in the order of their files.
func readExamples(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(consoleFolder, "examples", "*.graphql"))
	if err != nil || len(files) < 15 {
		t.Fatalf("got %d examples and %v, want at least 15", len(files), err)
	}
	var all []example
	for _, file := range files {
		query := readSource(t, file)
		title, _, _ := strings.Cut(strings.TrimPrefix(query, "# "), "\n")
		one := example{title: title, query: query}
		if needs := exampleNeeds.FindStringSubmatch(query); needs != nil {
			one.permission = needs[1]
		}
		if operation := exampleOperation.FindStringSubmatch(query); operation != nil {
			one.operation = operation[1]
		}
		all = append(all, one)
	}
	return all
}

func readSource(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// analyst sends requests to a running program as the page does.
type analyst struct {
	*testing.T
	base string
	keys map[string]string // by permission; a page without a key sends its token
}

// ask returns the response to a query, or the first one of a subscription.
func (a analyst) ask(permission, query string, variables map[string]any) string {
	a.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		a.Fatal(err)
	}
	request, err := http.NewRequestWithContext(a.Context(), http.MethodPost, a.base+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		a.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	header := keyHeader
	if permission == "" {
		header = access.PageHeader
	}
	request.Header.Set(header, a.keys[permission])
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if event, ok := strings.CutPrefix(line, "data: "); ok {
			return event
		}
		if errors.Is(err, io.EOF) {
			return line
		}
		if err != nil {
			a.Fatal(err)
		}
	}
}

// data decodes the data of a response without errors.
func (a analyst) data(answer string) (map[string]any, error) {
	var read struct {
		Data   map[string]any
		Errors []any
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		return nil, err
	}
	if len(read.Errors) > 0 {
		return nil, fmt.Errorf("%v", read.Errors)
	}
	return read.Data, nil
}

// samples finds values for the variables of the examples, as the page does.
func (a analyst) samples() map[string]any {
	a.Helper()
	query := readSource(a.T, filepath.Join(consoleFolder, "samples.graphql"))
	data, err := a.data(a.ask("", query, map[string]any{"chain": domain.Mainnet}))
	if err != nil {
		a.Fatal(err)
	}
	counts := map[string]map[any]int{}
	countValues(data, counts)
	samples := map[string]any{"chain": domain.Mainnet}
	for name, values := range counts {
		samples[name] = slices.MaxFunc(slices.Collect(maps.Keys(values)), func(x, y any) int {
			return cmp.Or(cmp.Compare(values[x], values[y]), cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)))
		})
	}
	return samples
}

func countValues(value any, counts map[string]map[any]int) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			countValues(item, counts)
		}
	case map[string]any:
		for name, part := range v {
			switch part.(type) {
			case []any, map[string]any:
				countValues(part, counts)
			case nil:
			default:
				if counts[name] == nil {
					counts[name] = map[any]int{}
				}
				counts[name][part]++
			}
		}
	}
}

// emptiness returns what is missing from a response: root fields, and the items
// of connections.
func emptiness(data map[string]any) []string {
	items := map[string]int{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(path, item)
			}
		case map[string]any:
			for name, field := range v {
				if nodes, ok := field.([]any); ok && name == "nodes" {
					items[path] += len(nodes)
				}
				walk(path+"."+name, field)
			}
		}
	}
	var lacking []string
	for name, field := range data {
		if list, ok := field.([]any); field == nil || ok && len(list) == 0 {
			lacking = append(lacking, name)
		}
		walk(name, field)
	}
	for path, count := range items {
		if count == 0 {
			lacking = append(lacking, path)
		}
	}
	return lacking
}

// answersEveryExample runs the examples of GraphiQL: first as programs do, then
// by clicking them in a browser. Those that name no permission run as a
// visitor without a key.
func (s *simulated) answersEveryExample(t *testing.T) {
	token := regexp.MustCompile(`<meta name="page-token" content="([^"]+)" />`).FindStringSubmatch(get(t, s.base+"/graphiql"))
	if token == nil {
		t.Fatal("got a page without a token, want one")
	}
	a := analyst{t, s.base, map[string]string{"": token[1], "partner": s.demo.Keys["partner"], "batch": s.demo.Keys["utility"]}}
	s.until(t, "the chain is indexed, and a token has its metadata and holders", func() bool {
		return strings.Contains(a.ask("", `{ status(chain: SN_MAIN) { lagBlocks indexer { state } } }`, nil), `"lagBlocks":0,"indexer":{"state":"FOLLOWING"}`) &&
			strings.Contains(a.ask("partner", `query ($token: Felt!) { token(chain: SN_MAIN, address: $token) { symbol holders { holderCount } } }`,
				map[string]any{"token": s.demo.Samples.Tokens["certified"]}), `"symbol":"STRK","holders":{"holderCount":`)
	})

	examples, samples := readExamples(t), a.samples()
	for _, one := range examples {
		t.Run(one.title, func(t *testing.T) {
			variables := map[string]any{}
			for _, name := range exampleVariable.FindAllStringSubmatch(one.query, -1) {
				if variables[name[1]] = samples[name[1]]; samples[name[1]] == nil {
					t.Errorf("got no sample of %s, want one", name[1])
				}
			}
			answer := a.ask(one.permission, one.query, variables)
			if data, err := a.data(answer); err != nil || len(emptiness(data)) > 0 {
				t.Errorf("got %v, want data; empty: %v\n%v\n%s", err, emptiness(data), variables, answer)
			}
		})
	}
	t.Run("in a browser", func(t *testing.T) { a.browse(t, examples) })
}

// press clicks examples and runs them: all when ASTROLABE_SOAK is set, else those with a
// chart, some others and the last, because a browser without a graphics card takes seconds
// for each.
func (a analyst) press(t *testing.T, tab *browsertest.Tab, examples []example) {
	tab.Do(browsertest.Press(`button[aria-label="Show Examples"]`))
	for i, one := range examples {
		charted := strings.HasSuffix(one.title, "over time")
		if last := i == len(examples)-1; !soak && !charted && !last && i%4 != 0 {
			continue
		}
		key := ""
		if one.permission != "" {
			key = a.keys[one.permission]
		}
		tab.Do(
			chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (document.querySelector('#api-key').value = %q)`, key)),
			browsertest.Press(chromedp.CSS(fmt.Sprintf(".examples li:nth-child(%d) button", i+1))),
			browsertest.Await(fmt.Sprintf(`document.querySelector('.graphiql-tab-button')?.textContent === %q`, one.operation)),
			browsertest.Await(`/^Cost \d/.test(document.querySelector('.cost-before')?.textContent)`),
			browsertest.Press(graphiqlRun),
			browsertest.Await(`document.querySelector('.cost-after')`),
		)
		texts := browsertest.Get(tab, chromedp.Evaluate[[]string](
			`['.cost-before', '.cost-after', '.results-count'].map((one) => document.querySelector(one)?.textContent ?? '')`))
		before, after, rows := texts[0], texts[1], texts[2]
		if after != "Last run "+strings.TrimPrefix(before, "Cost ") {
			t.Errorf("%s: got %q after the run, want the cost %q", one.title, after, before)
		}
		if strings.Contains(one.query, "nodes {") && rows == "" {
			t.Errorf("%s: got no rows, want some", one.title)
		}
		if charted {
			tab.Do(drawChart)
		}
	}
}

// drawChart selects the innermost list, clicks the button of the chart unless
// it is active, and waits for the line.
var drawChart = chromedp.Steps(
	chromedp.Evaluate[chromedp.Void](`((select) => {
		Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, [...select.options].at(-1).value);
		select.dispatchEvent(new Event('change', {bubbles: true}));
	})([...document.querySelectorAll('.choice')].find((one) => one.firstChild.textContent === 'List').querySelector('select'))`),
	browsertest.Await(`((button) => {
			if (button?.getAttribute('aria-pressed') === 'false') button.click();
			return button;
		})(document.querySelector('.results button[aria-pressed]:enabled'))`),
	browsertest.Await(`document.querySelector('.chart-line')?.getAttribute('points').split(' ').length >= 50`),
)
