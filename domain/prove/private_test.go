package prove_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	experiment "github.com/go-json-experiment/json"

	"astrolabe/domain/prove"
	sim "astrolabe/sim/prover"
)

func TestPrivateContentIsNeverPrinted(t *testing.T) {
	t.Parallel()
	secret := prove.Conceal([]byte("MARKED"))
	payload := &prove.Payload{Result: secret, Message: secret, Data: secret}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	jsonLogger := slog.New(slog.NewJSONHandler(&log, nil))
	for _, value := range []any{secret, &secret, payload, *payload, prove.Outcome{Payload: payload}, prove.Proven(secret), []prove.Private{secret}, map[string]any{"x": secret}, struct{ hidden prove.Private }{secret}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&log, verb, value)
		}
		logger.Info("logged", "value", value)
		jsonLogger.Info("logged", "value", value)
		if text, err := json.Marshal(value); err == nil {
			log.Write(text)
		}
		if text, err := experiment.Marshal(value); err == nil {
			log.Write(text)
		}
		fmt.Fprint(&log, errors.Join(fmt.Errorf("failed: %v", value)))
	}
	for _, shape := range []string{"MARKED", hex.EncodeToString([]byte("MARKED")), strings.ToUpper(hex.EncodeToString([]byte("MARKED"))), "77 65 82", "[77,65"} {
		if strings.Contains(log.String(), shape) {
			t.Errorf("got %q in the output, want nothing of the content", shape)
		}
	}
	if !strings.Contains(log.String(), "[redacted]") {
		t.Error("got no [redacted] in the output, want it")
	}
}

// TestNothingOfABodyOrResultIsStoredOrLogged marks a body, an idempotency key and
// the prover's errors, takes jobs to every status, and searches all tables and
// the log.
func TestNothingOfABodyOrResultIsStoredOrLogged(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	marked := "0x" + hex.EncodeToString([]byte("MARKEDBODY"))
	var errs []string
	for i, reply := range []sim.Reply{
		sim.Succeed(), sim.Fail(55, "MARKEDMESSAGE", "MARKEDDATA"), sim.Fail(-32005, "MARKEDMESSAGE", "MARKEDDATA"), sim.CutRead(), sim.Truncate(),
	} {
		d.sim.Script(reply)
		submission := body(strings.Replace(transaction(marked), `"nonce"`, `"MARKEDKEY":"MARKEDVALUE","nonce"`, 1))
		job, _, err := p.Submit(t.Context(), key("a", fmt.Sprint("k", i)), idempotencyKey(fmt.Sprint("MARKEDIDEMPOTENCY", i)), submission)
		if err != nil {
			t.Fatal(err)
		}
		for status := prove.Queued; !status.Terminal(); status = <-p.moves {
		}
		if i == 1 { // delivered; the others stay in memory
			if _, payload := p.polls(job.ID); !bytes.Contains(payload.Data.Reveal(), []byte("MARKEDDATA")) {
				t.Error("got no data of the prover, want it at the first poll")
			}
		}
		for _, malformed := range []string{
			strings.Replace(string(submission), `"MARKEDKEY":`, `"MARKEDVALUE":1,"MARKEDVALUE":`, 1), strings.Replace(string(submission), "INVOKE", "MARKEDTYPE", 1),
			string(submission[:len(submission)-3]), strings.Replace(string(submission), `"MARKEDVALUE"`, `1e99999`, 1),
		} {
			_, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("MARKEDOTHER"), []byte(malformed))
			errs = append(errs, fmt.Sprint(err))
		}
	}
	_, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("MARKEDIDEMPOTENCY0"), body(transaction("0x3")))
	errs = append(errs, fmt.Sprint(err))
	var stored []string
	for _, table := range []string{"prove_jobs", "prove_budgets", "audit_log", "usage_requests", "usage_hours", "river_job"} {
		rows, err := d.conn.Query(t.Context(), "SELECT t::text FROM "+table+" t")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			stored = append(stored, row)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	if len(stored) < 10 {
		t.Errorf("got %d rows, want the jobs and their budgets", len(stored))
	}
	for place, text := range map[string]string{"the database": strings.Join(stored, "\n"), "the log": d.log.String(), "the errors": strings.Join(errs, "\n")} {
		for _, shape := range []string{"MARKED", hex.EncodeToString([]byte("MARKED")), marked} {
			if strings.Contains(text, shape) {
				t.Errorf("got %q in %s, want nothing of bodies and results:\n%s", shape, place, text)
			}
		}
	}
}
