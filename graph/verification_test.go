package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/verify"
	"astrolabe/graph/resolver"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
)

// verifying is a server whose workspaces can verify classes.
type verifying struct {
	*servedGraph
	*testing.T
	class        string // one that is declared
	owner, other string // workspaces
	ours, theirs map[string]string
	jobs         *verify.Jobs
}

// serveVerification serves the index of repotest.Followed with a builder that is
// ready. Its callers have the default keys of two workspaces, whose rate limits do
// not refill, and whose subscribers are notified only; change adapts the options.
func serveVerification(t *testing.T, change ...func(*Options)) *verifying {
	t.Helper()
	v, at := &verifying{T: t}, time.Now()
	db := repotest.OpenTemplate(t, repotest.Followed)
	v.servedGraph = serveOver(t, db, func() time.Time { return at }, func(o *Options) {
		o.TimeLimit = 5 * time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors})
		v.jobs, o.PollJobsEvery = o.VerificationJobs, time.Hour
		for _, set := range change {
			set(o)
		}
	})
	v.builderSays(true, "", "")
	if err := db.Write().NewRaw(`SELECT '0x' || encode(k.hash, 'hex') FROM classes k JOIN declarations d ON d.chain = k.chain AND d.class = k.id ORDER BY k.hash LIMIT 1`).
		Scan(t.Context(), &v.class); err != nil {
		t.Fatal(err)
	}
	another, err := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now).Ensure(t.Context(), "another", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	v.owner, v.other = v.access.Workspace.ID, another.ID
	v.ours, v.theirs = v.defaultKey(v.owner), v.defaultKey(v.other)
	return v
}

// defaultKey returns the header of the default key of a workspace.
func (v *verifying) defaultKey(workspace string) map[string]string {
	v.Helper()
	rotated, err := v.access.Gate.Keys.RotateDefault(v.Context(), workspace, account.Operator("test"))
	if err != nil {
		v.Fatal(err)
	}
	return map[string]string{"X-Service-Api-Key": rotated.Text.Reveal()}
}

// builderSays sets what the only builder last said, in a future that the test
// does not reach.
func (v *verifying) builderSays(ready bool, code, reason string) {
	v.Helper()
	v.execute(v.T, "DELETE FROM verification_builders")
	v.execute(v.T, fmt.Sprintf(`INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'scarb', '2.12.0', 'sha256:00', %t, '%s', '%s', now() + interval '1 day')`, ready, code, reason))
	v.execute(v.T, `INSERT INTO verification_controllers (id, key_id, environment, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'ed25519:00', 'demo', 'scarb', '2.12.0', 'sha256:00', true, '', '', '2100-01-01') ON CONFLICT DO NOTHING`)
}

// jobFields selects every field of a job.
var jobFields = func() string {
	var text strings.Builder
	selectAll(&text, schema.Types["VerificationJob"])
	return text.String()
}()

func selectAll(text *strings.Builder, of *ast.Definition) {
	for _, field := range of.Fields {
		text.WriteString(field.Name + " ")
		if inner := schema.Types[field.Type.Name()]; inner.Kind == ast.Object {
			text.WriteString("{ ")
			selectAll(text, inner)
			text.WriteString("} ")
		}
	}
}

const userErrorFields = ` userErrors { code message argument retryAfterSeconds }`

var (
	createQuery = `mutation($chain: ChainId!, $input: VerificationPackageInput!, $key: String!) {
		createVerificationJob(chain: $chain, input: $input, idempotencyKey: $key) { job { ` + jobFields + `} created uploadPath` + userErrorFields + ` } }`
	cancelQuery = `mutation($chain: ChainId!, $id: String!) { cancelVerificationJob(chain: $chain, id: $id) { job { ` + jobFields + `}` + userErrorFields + ` } }`
	jobQuery    = `query($chain: ChainId!, $id: String!) { verificationJob(chain: $chain, id: $id) { ` + jobFields + `} }`
	jobsQuery   = `query($chain: ChainId!, $first: Int, $after: Cursor) { verificationJobs(chain: $chain, first: $first, after: $after) {
		nodes { jobId } edges { cursor node { ` + jobFields + `} } totalCount totalCountExact pageInfo { hasNextPage hasPreviousPage endCursor } } }`
)

// payload is the result of either mutation.
type payload struct {
	Job        map[string]any
	Created    *bool
	UploadPath *string
	UserErrors []resolver.UserError
}

// send sends an operation with variables on SN_MAIN, unless they name a chain.
func (v *verifying) send(query string, variables map[string]any, header map[string]string) reply {
	v.Helper()
	if variables["chain"] == nil {
		variables["chain"] = domain.Mainnet
	}
	return v.post(v.T, string(encode(map[string]any{"query": query, "variables": variables})), header)
}

// described returns the input of a package, with changed fields.
func (v *verifying) described(changes map[string]any) map[string]any {
	input := map[string]any{
		"selectedClassHash": v.class, "uploadDigest": "sha256:" + strings.Repeat("0a", 32), "uploadByteLength": 750_000,
		"toolchainPolicyId": "service-exact-v25", "packageName": "hello", "buildProfile": "release",
		"targetName": "hello", "targetKind": "starknet-contract", "artifactId": "e1p6jp2ak1nmk", "modulePath": "hello::Hello",
		"sourceVisibility": "PRIVATE", "retentionPolicyId": "private-24h-v1",
	}
	for name, value := range changes {
		input[name] = value
	}
	return input
}

// create sends a create and returns its payload.
func (v *verifying) create(key string, changes map[string]any, header map[string]string) payload {
	v.Helper()
	a := v.send(createQuery, map[string]any{"input": v.described(changes), "key": key}, header)
	return data[struct{ CreateVerificationJob payload }](v.T, a).CreateVerificationJob
}

// creates creates a job of our workspace, which must be accepted.
func (v *verifying) creates(key string) string {
	v.Helper()
	p := v.create(key, nil, v.ours)
	if p.Job == nil || p.Created == nil || !*p.Created || len(p.UserErrors) > 0 {
		v.Fatalf("got %+v, want a new job", p)
	}
	return p.Job["jobId"].(string)
}

func (v *verifying) cancel(id string, header map[string]string) payload {
	v.Helper()
	return data[struct{ CancelVerificationJob payload }](v.T, v.send(cancelQuery, map[string]any{"id": id}, header)).CancelVerificationJob
}

// job reads a job of our workspace.
func (v *verifying) job(id string) map[string]any {
	v.Helper()
	return data[struct{ VerificationJob map[string]any }](v.T, v.send(jobQuery, map[string]any{"id": id}, v.ours)).VerificationJob
}

// view is the job view of the contract, made of the domain's job.
func view(j *verify.Job) map[string]any {
	upper := func(text string) string { return strings.ToUpper(text) }
	at := func(t *time.Time) any {
		if t == nil {
			return nil
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	v := map[string]any{
		"jobId": j.ID, "chainId": string(j.Chain), "state": upper(string(j.State)), "terminal": j.State.Terminal(),
		"retryable": nil, "failureCode": nil, "failureMessage": nil, "selectedClassHash": j.Package.SelectedClassHash.String(),
		"toolchainPolicyId": j.Package.ToolchainPolicyID, "packageName": j.Package.PackageName, "targetName": j.Package.TargetName,
		"artifactId": j.Package.ArtifactID, "modulePath": j.Package.ModulePath, "sourceVisibility": upper(j.Package.SourceVisibility),
		"retentionPolicyId": j.Package.RetentionPolicyID, "createdAt": at(&j.CreatedAt), "updatedAt": at(&j.UpdatedAt),
		"uploadExpiresAt": at(&j.UploadExpiresAt), "sourceCommittedAt": at(j.SourceCommittedAt), "sourceDeletedAt": at(j.SourceDeletedAt),
		"finishedAt": at(j.FinishedAt), "pollAfterSeconds": 5.0, "idempotencyKey": j.IdempotencyKey,
		"build": nil, "producedClassHash": nil, "receiptId": nil, "receiptUrl": nil, "receipt": nil,
	}
	var history []any
	for _, m := range j.History {
		history = append(history, map[string]any{"state": upper(string(m.State)), "at": at(&m.At)})
	}
	v["history"] = history
	if j.Failure != nil {
		v["retryable"], v["failureCode"], v["failureMessage"] = j.Failure.Code.Retryable(), upper(string(j.Failure.Code)), j.Failure.Message
	}
	if b := j.Build; b != nil {
		v["build"] = map[string]any{
			"toolchain": map[string]any{"name": b.Toolchain.Name, "version": b.Toolchain.Version, "digest": b.Toolchain.Digest},
			"profile":   b.Profile, "durationMs": float64(b.Duration.Milliseconds()), "logTail": b.LogTail,
		}
	}
	if j.ProducedClassHash != nil {
		v["producedClassHash"] = j.ProducedClassHash.String()
	}
	if j.ReceiptID != nil {
		v["receiptId"], v["receiptUrl"] = float64(*j.ReceiptID), "/v1/SN_MAIN/verification-jobs/"+j.ID+"/receipt"
	}
	return v
}

// TestVerificationJobHasEveryFieldOfTheJobView reads a job in several states, by
// itself and in the list, and compares every field with the domain's job.
func TestVerificationJobHasEveryFieldOfTheJobView(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	build, err := json.Marshal(verify.Build{
		Toolchain: verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"}, Profile: "release",
		Duration: 1500 * time.Millisecond, LogTail: "Finished \"release\"\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	id := v.creates("first")
	v.execute(t, "ALTER TABLE verification_jobs DISABLE TRIGGER verification_job_moves") // the job takes every state
	for _, c := range []struct{ name, change string }{
		{"new", "updated_at = updated_at"},
		{"committed", "state = 1, source_committed_at = created_at, source_expires_at = now() + interval '1 day'"},
		{"failed", "state = 7, finished_at = now(), failure_code = 'verifier_dispatch_failed', failure_message = 'Retry.'"},
		{"mismatch", "state = 6, failure_code = 'class_hash_mismatch', failure_message = 'Another class.', source_deleted_at = now(), build = '" + string(build) +
			"', produced_class_hash = decode('" + strings.Repeat("01", 32) + "', 'hex')"},
		{"succeeded", "state = 5, failure_code = NULL, failure_message = NULL, receipt_id = 7"},
	} {
		v.execute(t, "UPDATE verification_jobs SET "+c.change)
		var receipt any
		if c.name == "succeeded" {
			receipt = "{\"of\": \"" + id + "\"}\n"
			v.admits(id, 7)
		}
		stored, err := v.jobs.Of(t.Context(), domain.Mainnet, v.owner, id)
		if err != nil {
			t.Fatal(err)
		}
		want := view(stored)
		want["receipt"] = receipt
		if diff := cmp.Diff(want, v.job(id)); diff != "" {
			t.Errorf("%s: got another job than the domain's (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff([]any{want}, nodesOf(v.page(nil, nil, v.ours))); diff != "" {
			t.Errorf("%s: got another list than the domain's (-want +got):\n%s", c.name, diff)
		}
	}
}

// admits stores a receipt of a job, which has the text {"of": ID} and a newline.
func (v *verifying) admits(id string, receipt int) {
	v.Helper()
	v.execute(v.T, "ALTER TABLE verification_receipts DISABLE TRIGGER USER") // only the controller adds receipts
	v.execute(v.T, `INSERT INTO verification_keys (key_id, public_key, environment, toolchain_name, toolchain_version, toolchain_digest, not_before)
		VALUES ('ed25519:0123456789abcdef', decode(repeat('07', 32), 'hex'), 'demo', 'scarb', '2.12.0', 'sha256:' || repeat('0a', 32), '2026-07-01T12:00:00.5Z') ON CONFLICT DO NOTHING`)
	v.execute(v.T, fmt.Sprintf(`INSERT INTO verification_receipts (receipt_id, job, chain, class, key_id, digest, issued_at, body)
		VALUES (%d, '%s', 1, decode(repeat('01', 32), 'hex'), 'ed25519:0123456789abcdef', 'sha256:%d', now(), '{"of": "%s"}' || E'\n')`, receipt, id, receipt, id))
}

// jobPage is a page of jobs.
type jobPage struct {
	Nodes []struct{ JobID string }
	Edges []struct {
		Cursor string
		Node   map[string]any
	}
	TotalCount      *int
	TotalCountExact bool
	PageInfo        struct {
		HasNextPage, HasPreviousPage bool
		EndCursor                    *string
	}
}

func (v *verifying) page(first, after any, header map[string]string) jobPage {
	v.Helper()
	a := v.send(jobsQuery, map[string]any{"first": first, "after": after}, header)
	return data[struct{ VerificationJobs jobPage }](v.T, a).VerificationJobs
}

func nodesOf(p jobPage) (nodes []any) {
	for _, edge := range p.Edges {
		nodes = append(nodes, edge.Node)
	}
	return nodes
}

func TestVerificationJobsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	var want []string
	for n := range verify.MaxPerDay {
		id := v.creates(fmt.Sprint("job", n))
		v.cancel(id, v.ours)
		want = append([]string{id}, want...)
	}
	var got []string
	var after any
	for {
		page := v.page(2, after, v.ours)
		for i, node := range page.Nodes {
			got = append(got, node.JobID)
			if page.Edges[i].Node["jobId"] != node.JobID {
				t.Errorf("got the edge of %v, want %s", page.Edges[i].Node["jobId"], node.JobID)
			}
		}
		if page.PageInfo.HasPreviousPage != (after != nil) || page.TotalCount != nil || page.TotalCountExact {
			t.Errorf("got %+v, want no total and the place of the page", page)
		}
		if !page.PageInfo.HasNextPage {
			break
		}
		after = *page.PageInfo.EndCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if page := v.page(nil, nil, v.theirs); len(page.Nodes) > 0 || page.PageInfo.HasNextPage {
		t.Errorf("got %+v in another workspace, want an empty page", page)
	}
	if a := v.send(jobsQuery, map[string]any{"after": after}, v.theirs); codeOf(t, a.text) != domain.CodeInvalidRequest {
		t.Errorf("got %s for a cursor of another workspace, want %s", a.text, domain.CodeInvalidRequest)
	}
	for _, first := range []int{0, 101} {
		if a := v.send(jobsQuery, map[string]any{"first": first}, v.ours); codeOf(t, a.text) != domain.CodeInvalidRequest {
			t.Errorf("first %d: got %s, want %s", first, a.text, domain.CodeInvalidRequest)
		}
	}
}

func TestConcurrentIdenticalCreatesMakeOneJob(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	var (
		mu      sync.Mutex
		created int
		ids     = map[any]int{}
		clients sync.WaitGroup
	)
	for range 60 {
		clients.Go(func() {
			p := v.create("same", nil, v.ours)
			mu.Lock()
			defer mu.Unlock()
			if len(p.UserErrors) > 0 || p.Created == nil {
				t.Errorf("got %+v, want the job", p.UserErrors)
				return
			}
			if ids[p.Job["jobId"]]++; *p.Created {
				created++
			}
			if want := "/v1/SN_MAIN/verification-jobs/" + p.Job["jobId"].(string) + "/source"; *p.UploadPath != want {
				t.Errorf("got the path %s, want %s", *p.UploadPath, want)
			}
		})
	}
	clients.Wait()
	if created != 1 || len(ids) != 1 {
		t.Errorf("got %d created jobs of the IDs %v, want one", created, ids)
	}
	if page := v.page(nil, nil, v.ours); len(page.Nodes) != 1 {
		t.Errorf("got %d jobs, want one", len(page.Nodes))
	}
}

func TestCancelledVerificationJobIsReturned(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	for _, when := range []string{"at first", "again"} {
		p := v.cancel(id, v.ours)
		if len(p.UserErrors) > 0 || p.Job["state"] != "CANCELLED" || p.Job["terminal"] != true || len(p.Job["history"].([]any)) != 2 {
			t.Errorf("%s: got %+v, want the job cancelled once", when, p)
		}
	}
	if p := v.create("first", nil, v.ours); p.Created == nil || *p.Created || p.Job["state"] != "CANCELLED" {
		t.Errorf("identical create: got %+v, want the cancelled job", p)
	}
}

func TestVerificationEnumsHaveTheValuesOfTheDomain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]any{
		"VerificationJobState": verify.States, "VerificationFailureCode": verify.FailureCodes,
		"VerificationSourceVisibility": []string{verify.Private, verify.Public},
	} {
		var got []string
		for _, value := range schema.Types[name].EnumValues {
			got = append(got, strings.ToLower(value.Name))
		}
		if text := fmt.Sprint(want); fmt.Sprint(got) != text {
			t.Errorf("%s: got %v, want %s", name, got, text)
		}
	}
}
