package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestUpProvesWithASimulatedProverAndDrains submits two transactions. The stop signal
// arrives while the second one is being proven, and its result can still be fetched.
func TestUpProvesWithASimulatedProverAndDrains(t *testing.T) {
	t.Parallel()
	data := existing(t)
	p := start(t, nil, append([]string{"up", "--data", data, "--chains", "SN_MAIN", "--prover", "sim"}, anyPort...)...)
	base, d := p.ready(t), readDemo(t, data)
	bound := `{"max_amount":"0x1","max_price_per_unit":"0x0"}`
	body := fmt.Sprintf(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","version":"0x3","sender_address":"0x5","calldata":["0x1"],"signature":[],"nonce":"0x1","tip":"0x0",
		"resource_bounds":{"l1_gas":%s,"l2_gas":%s,"l1_data_gas":%s},"paymaster_data":[],"account_deployment_data":[]}}`, bound, bound, bound)
	type job struct {
		JobID, Status string
		Result        *struct{ Proof string }
	}
	send := func(method, path, key string) (status int, j job) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, base+"/v1/SN_MAIN/prove"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"X-Service-Api-Key": d.Keys["prove"], "Content-Type": "application/json", "Idempotency-Key": key} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.text())
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(text, &j) // errors have another form
		return response.StatusCode, j
	}
	submit := func(key string) string {
		t.Helper()
		status, j := send(http.MethodPost, "", key)
		if status != http.StatusAccepted {
			t.Fatalf("got %d, want 202\n%s", status, p.text())
		}
		return j.JobID
	}
	has := func(id, status string) job {
		t.Helper()
		var j job
		p.until(t, "the job is "+status, func() bool {
			_, j = send(http.MethodGet, "/"+id, "")
			return j.Status == status
		})
		return j
	}
	if j := has(submit("the-first-submission"), "succeeded"); j.Result == nil || j.Result.Proof == "" {
		t.Errorf("got %+v, want a proof", j)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.cmd.Process.Pid))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0") {
		t.Errorf("got the limits %s (%v), want no core files", limits, err)
	}
	if memory, err := os.Open(fmt.Sprintf("/proc/%d/environ", p.cmd.Process.Pid)); err == nil && os.Geteuid() != 0 {
		_ = memory.Close()
		t.Error("got the environment of the process readable for its user, want it not dumpable")
	}
	if metrics := get(t, d.AdminURL+"/metrics"); !strings.Contains(metrics, `astrolabe_proof_job_transitions_total{status="succeeded"} 1`) || !strings.Contains(metrics, "astrolabe_proof_results_held 0") {
		t.Errorf("got %s, want the moves of the job", metrics)
	}
	runsTheCommandsOfTheProverGuide(t, base, data)

	last := submit("the-second-submission")
	has(last, "dispatched")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.says(t, "msg=stopping command=up")
	attempt := 0
	p.until(t, "it refuses submissions", func() bool { // a key that was accepted before would be answered with its job
		attempt++
		status, _ := send(http.MethodPost, "", fmt.Sprint("a-later-submission-", attempt))
		return status == http.StatusServiceUnavailable
	})
	if j := has(last, "succeeded"); j.Result == nil || j.Result.Proof == "" {
		t.Errorf("got %+v while the process drains, want the proof", j)
	}
	p.wait(t)
	if code := p.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
	}
}
