package resolver_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"go.uber.org/goleak"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/graph/exec"
	"astrolabe/graph/live"
	"astrolabe/graph/proof"
	"astrolabe/graph/resolver"
	"astrolabe/graph/verification"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// resolvers gives gqlgen the resolvers by their interfaces.
type resolvers struct{ *resolver.Resolver }

func (r resolvers) Budget() exec.BudgetResolver { return r.Resolver.Budget() }
func (r resolvers) Chain() exec.ChainResolver   { return r.Resolver.Chain() }
func (r resolvers) Mutation() exec.MutationResolver {
	return mutations{Mutation: r.Resolver.Mutation()}
}
func (r resolvers) Query() exec.QueryResolver { return queries{Query: r.Resolver.Query()} }
func (r resolvers) Subscription() exec.SubscriptionResolver {
	return subscriptions{Subscription: r.Resolver.Subscription()}
}
func (r resolvers) Viewer() exec.ViewerResolver { return r.Resolver.Viewer() }

// queries, mutations and subscriptions have no services for verification and
// proof jobs, which these tests do not use.
type (
	queries struct {
		*resolver.Query
		verification.Queries
		proofQueries
	}
	proofQueries = proof.Queries
	mutations    struct {
		*resolver.Mutation
		verification.Mutations
	}
	subscriptions struct {
		*resolver.Subscription
		verification.Subscriptions
	}
)

// index executes operations over the index of repotest.Followed.
type index struct {
	*resolver.Resolver
	*executor.Executor
}

func openIndex(t *testing.T) index {
	t.Helper()
	db := repotest.OpenTemplate(t, repotest.Followed)
	services := explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: domain.NewCursors(fixedKey{})})
	r := resolver.New(resolver.Options{
		Services: services, Chains: []domain.Chain{domain.Mainnet}, Gate: &access.Gate{Quotas: account.NewQuotas(nil, time.Now)},
		Hub:      live.NewHub(live.Options{Chains: []domain.Chain{domain.Mainnet}, Blocks: services.Blocks, Statuses: services.Statuses}),
		PageSize: func(*ast.FieldDefinition) int { return 10 },
	})
	return index{r, executor.New(exec.NewExecutableSchema(exec.Config{Resolvers: resolvers{r}}))}
}

// statements executes a query and counts its statements.
func (x index) statements(t *testing.T, query string) int {
	t.Helper()
	ctx, count := telemetry.CountStatements(t.Context())
	x.run(ctx, t, query)
	return count.N()
}

// execute executes a query and returns its data.
func (x index) execute(t *testing.T, query string) string {
	t.Helper()
	return x.run(t.Context(), t, query)
}

// run executes a query, which must succeed.
func (x index) run(ctx context.Context, t *testing.T, query string) string {
	t.Helper()
	ctx = account.WithCaller(graphql.StartOperationTrace(ctx), &account.Caller{Kind: account.ByInternal}) // without rate limits
	operation, errs := x.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
	if errs != nil {
		t.Errorf("%s: got %v, want no errors", query, errs)
		return ""
	}
	respond, ctx := x.DispatchOperation(ctx, operation)
	response := respond(x.WithScope(ctx))
	if len(response.Errors) > 0 {
		t.Errorf("%s: got %v, want no errors", query, response.Errors)
	}
	return string(response.Data)
}

// fixedKey signs the cursors of a test.
type fixedKey struct{}

func (fixedKey) CurrentKey() (uint32, []byte) { return 1, []byte("0123456789abcdef") }
func (fixedKey) KeyOf(context.Context, uint32) ([]byte, bool) {
	return []byte("0123456789abcdef"), true
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// somewhere is the hash of a transaction in the index.
const somewhere = `"0x37ea899ae28543489542ffed5d02685b279131135279673bf7efa8f018b71f4"`

// pages are queries with the number of their statements.
var pages = []struct {
	query string
	want  int
	why   string
}{
	{`{blocks(chain:SN_MAIN first:24){nodes{parent{blockHash}}}}`, 3, "the head, the page, and the one parent that is not in it"},
	{`{blocks(chain:SN_MAIN first:24){nodes{transactions{nodes{block{blockNumber}}}}}}`, 3, "the head, the page and its transactions"},
	{`{blocks(chain:SN_MAIN first:24){nodes{transactions{nodes{a:version b:nonce receipt{l2Gas} block{parent{blockHash}}}}}}}`, 5, "the same, the transactions as a whole and one parent"},
	{`{transaction(chain:SN_MAIN hash:` + somewhere + `){version transfers{nodes{transaction{version receipt{l2Gas}}}} messages{transaction{version}}}}`, 4, "the head, the transaction, its transfers and its messages"},
	{`{a:block(chain:SN_MAIN number:40){parent{blockHash}} b:block(chain:SN_MAIN number:40){parent{blockHash}}}`, 5, "the head, and two fields that share nothing with each other"},
}

// TestStatementCountDoesNotDependOnScheduling also shows that descendants do not
// repeat the reads of their ancestors. It is not parallel: it sets
// the number of processors.
func TestStatementCountDoesNotDependOnScheduling(t *testing.T) {
	x := openIndex(t)
	for _, processors := range []int{1, 2, 8} {
		restore := runtime.GOMAXPROCS(processors)
		for _, page := range pages {
			var clients sync.WaitGroup
			for range 8 {
				clients.Go(func() {
					if got := x.statements(t, page.query); got != page.want {
						t.Errorf("%d processors: want %d statements (%s), got %d: %s", processors, page.want, page.why, got, page.query)
					}
				})
			}
			clients.Wait()
		}
		runtime.GOMAXPROCS(restore)
	}
}

// TestStatementCountDoesNotGrowWithRows allows fewer: objects that a larger page
// contains need not be read again for its edges.
func TestStatementCountDoesNotGrowWithRows(t *testing.T) {
	t.Parallel()
	x := openIndex(t)
	const query = `{blocks(chain:SN_MAIN first:%d){nodes{parent{blockHash} sequencer{label} transactions(first:9){nodes{version to{contract{class{standard}}}
		sender{activity(first:3){nodes{token{symbol} transaction{version} block{txCount}}} transactions(first:3){nodes{transaction{block{blockHash}}}}
		contract{class{contracts(first:2){nodes{contract{account{label}}}}}}}}}}}}`
	few, many := x.statements(t, fmt.Sprintf(query, 8)), x.statements(t, fmt.Sprintf(query, 24))
	if many > few {
		t.Errorf("want at most the %d statements of 8 blocks for 24, got %d", few, many)
	}
}

func TestSearchHitLinksToItsBlock(t *testing.T) {
	t.Parallel()
	x := openIndex(t)
	const want = `{"search":[{"kind":"BLOCK","node":{"blockNumber":40}}]}`
	if got := x.execute(t, `{search(chain:SN_MAIN query:"40"){kind node{... on Block{blockNumber}}}}`); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}
