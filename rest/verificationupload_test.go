package rest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
)

// TestUploadIsCommittedOnceAndReplayed sends the same source several times at
// once.
func TestUploadIsCommittedOnceAndReplayed(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	statuses, mu := map[int]int{}, sync.Mutex{}
	var sending sync.WaitGroup
	for range verify.OwnUploads {
		sending.Go(func() {
			a := v.upload(job, sourceArchive)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.StatusCode]++
		})
	}
	sending.Wait()
	if diff := cmp.Diff(map[int]int{http.StatusAccepted: 1, http.StatusOK: verify.OwnUploads - 1}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if got := v.job(job); got.State != verify.Validating || got.SourceCommittedAt == nil || len(got.History) != 2 {
		t.Errorf("got %+v, want it validating with its source", got)
	}
	other := bytes.Clone(sourceArchive)
	other[0]++
	requireFailure(t, v.upload(job, other), 409, domain.CodeVerificationSourceCommitted)
	requireFailure(t, v.upload(job, other[1:]), 409, domain.CodeVerificationSourceCommitted)
	if n := v.count("verification_sources WHERE part = 0"); n != 1 {
		t.Errorf("got %d sources, want 1", n)
	}
	v.ends(job, verify.Failed)
	if a := v.upload(job, sourceArchive); a.StatusCode != http.StatusOK {
		t.Errorf("a replay after the end: got %d %s, want 200", a.StatusCode, a.body)
	}
	requireFailure(t, v.upload(job, other), 409, domain.CodeVerificationJobTerminal)
}

func TestUploadOfOtherBytesLeavesTheJobAwaitingItsSource(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	other := bytes.Clone(sourceArchive)
	other[len(other)-1]++
	for _, content := range [][]byte{other, other[1:], append(other, 0), nil} {
		requireFailure(t, v.upload(job, content), 422, domain.CodeVerificationUploadMismatch)
	}
	if got := v.job(job); got.State != verify.AwaitingUpload || got.SourceCommittedAt != nil {
		t.Errorf("got %+v, want it awaiting its upload", got)
	}
	late := noon.Add(verify.UploadWindow)
	v.clock.Store(&late)
	requireFailure(t, v.upload(job, sourceArchive), 409, domain.CodeVerificationJobTerminal)
	if got := v.job(job); got.State != verify.Expired {
		t.Errorf("got %s, want it expired", got.State)
	}
}

// dialled is a connection on which a test writes a request byte by byte.
type dialled struct {
	*net.TCPConn
	v       *verifier
	request *http.Request
	in      *bufio.Reader
}

// dial opens a connection and sends the head of an upload.
func (v *verifier) dial(job string, head ...string) dialled {
	v.t.Helper()
	address := strings.TrimPrefix(v.url, "http://")
	c, err := net.Dial("tcp", address)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = c.Close() })
	lines := append([]string{"PUT " + job + "/source HTTP/1.1", "Host: " + address, "X-Service-Api-Key: " + v.access.Key}, head...)
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		v.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodPut, v.url+job+"/source", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	return dialled{c.(*net.TCPConn), v, request, bufio.NewReader(c)}
}

// answers reads the next response, which may be 100 Continue, and holds it against
// the OpenAPI document.
func (d dialled) answers(t *testing.T) answer {
	t.Helper()
	response, err := http.ReadResponse(d.in, d.request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= http.StatusOK {
		d.v.holdToContract(d.request, response, body)
	}
	return answer{response, string(body)}
}

const gzipType, expects = "Content-Type: application/gzip", "Expect: 100-continue"

func contentLength(n int) string { return fmt.Sprintf("Content-Length: %d", n) }

// TestUploadIsRefusedBeforeItsBodyIsRead announces bodies that it never sends.
func TestUploadIsRefusedBeforeItsBodyIsRead(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	cancelled := v.created("k")
	v.ends(cancelled, verify.Cancelled)
	job := v.created("l")
	right := contentLength(len(sourceArchive))
	for name, c := range map[string]struct {
		job    string
		head   []string
		status int
		code   domain.Code
	}{
		"no Content-Length":   {job, []string{gzipType, "Transfer-Encoding: chunked"}, 411, domain.CodeLengthRequired},
		"no body":             {job, []string{gzipType}, 411, domain.CodeLengthRequired},
		"more than 10 MiB":    {job, []string{gzipType, contentLength(10<<20 + 1)}, 413, domain.CodePayloadTooLarge},
		"a Content-Encoding":  {job, []string{gzipType, right, "Content-Encoding: gzip"}, 415, domain.CodeUnsupportedMediaType},
		"another type":        {job, []string{"Content-Type: application/octet-stream", right}, 415, domain.CodeUnsupportedMediaType},
		"two types":           {job, []string{gzipType, "Content-Type: text/plain", right}, 415, domain.CodeUnsupportedMediaType},
		"no type":             {job, []string{right}, 415, domain.CodeUnsupportedMediaType},
		"another length":      {job, []string{gzipType, contentLength(len(sourceArchive) - 1)}, 422, domain.CodeVerificationUploadMismatch},
		"a job that ended":    {cancelled, []string{gzipType, right}, 409, domain.CodeVerificationJobTerminal},
		"a job of nobody":     {jobsRoute + "/vrf_abcdefghijklmnopqrstuvwxyz", []string{gzipType, right}, 404, domain.CodeNotFound},
		"no job that can be":  {jobsRoute + "/%00", []string{gzipType, right}, 404, domain.CodeNotFound},
		"too long a job's id": {jobsRoute + "/" + strings.Repeat("a", 2000), []string{gzipType, right}, 404, domain.CodeNotFound},
	} {
		for _, expect := range [][]string{nil, {expects}} {
			a := v.dial(c.job, append(c.head, expect...)...).answers(t)
			if a.StatusCode != c.status {
				t.Errorf("%s %v: got %d %s, want %d", name, expect, a.StatusCode, a.body, c.status)
				continue
			}
			requireFailure(t, a, c.status, c.code)
		}
	}
	if got := v.job(job); got.State != verify.AwaitingUpload {
		t.Errorf("got %s, want it awaiting its upload", got.State)
	}
}

// TestClientIsAskedForABodyOnlyWhenTheJobAcceptsIt also holds as many uploads
// open as a process receives of a workspace.
func TestClientIsAskedForABodyOnlyWhenTheJobAcceptsIt(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	head := []string{gzipType, contentLength(len(sourceArchive)), expects}
	var open []dialled
	for range verify.OwnUploads {
		d := v.dial(job, head...)
		if a := d.answers(t); a.StatusCode != http.StatusContinue {
			t.Fatalf("got %d %s, want 100", a.StatusCode, a.body)
		}
		open = append(open, d)
	}
	a := v.dial(job, head...).answers(t)
	requireFailure(t, a, 503, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Error("got no Retry-After, want one")
	}
	if _, err := open[0].Write(sourceArchive); err != nil {
		t.Fatal(err)
	}
	if a := open[0].answers(t); a.StatusCode != http.StatusAccepted {
		t.Errorf("got %d %s, want 202", a.StatusCode, a.body)
	}
}

// TestShortUploadChangesNothing ends the body early, and then sends it whole.
func TestShortUploadChangesNothing(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	d := v.dial(job, gzipType, contentLength(len(sourceArchive)))
	if _, err := d.Write(sourceArchive[:len(sourceArchive)-1]); err != nil {
		t.Fatal(err)
	}
	if err := d.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	requireFailure(t, d.answers(t), 400, domain.CodeInvalidRequest)
	if got := v.job(job); got.State != verify.AwaitingUpload || v.count("verification_sources") != 0 {
		t.Errorf("got %+v, want it awaiting its upload and no source", got)
	}
	if a := v.upload(job, sourceArchive); a.StatusCode != http.StatusAccepted {
		t.Errorf("got %d %s, want 202", a.StatusCode, a.body)
	}
}

// TestLargestUploadFits commits 10 MiB.
func TestLargestUploadFits(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	content := bytes.Repeat([]byte{0x1f}, verify.MaxUpload)
	a := v.create("k", v.packaged(map[string]any{"uploadByteLength": len(content), "uploadDigest": digest(content)}))
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("got %d %s, want 201", a.StatusCode, a.body)
	}
	id := regexpJobID.FindString(a.body)
	began := time.Now()
	if a := v.upload(jobsRoute+"/"+id, content); a.StatusCode != http.StatusAccepted {
		t.Errorf("got %d %s, want 202", a.StatusCode, a.body)
	}
	t.Logf("10 MiB took %s", time.Since(began))
}
