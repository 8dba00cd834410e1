package prove_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	sim "astrolabe/sim/prover"
)

// holding proves after the channel is closed.
func holding(until <-chan struct{}) sim.Reply { return sim.Succeed().After(until) }

// outcome is what a client sees of a terminal job.
type outcome struct {
	Status  prove.Status
	Source  prove.Source
	Number  int64
	Code    domain.Code
	Message string
	Data    string
	Proof   bool
	Gone    bool
}

func seen(t *testing.T, job *prove.Job, payload *prove.Payload) outcome {
	t.Helper()
	o := outcome{Status: job.Status, Gone: payload == nil && job.ResultGone()}
	if f := job.Failure(); f != nil {
		o.Source, o.Code = f.Source, f.Code
		if f.Number != nil {
			o.Number = *f.Number
		}
	}
	if payload != nil {
		o.Message, o.Data = string(payload.Message.Reveal()), string(payload.Data.Reveal())
		var result sim.Result
		if !payload.Result.Empty() {
			if err := json.Unmarshal(payload.Result.Reveal(), &result); err != nil {
				t.Fatal(err)
			}
			o.Proof = result.Proof != "" && len(result.ProofFacts) > 8 && len(result.Messages) == 1
		}
	}
	return o
}

// TestEveryOutcomeBecomesTheStatusOfTheContract produces each row of 7.3 and of
// the rules on outcomes at a real prover, polls it twice, and replays it.
func TestEveryOutcomeBecomesTheStatusOfTheContract(t *testing.T) {
	t.Parallel()
	refused := func(code int64, message, data string) outcome {
		return outcome{Status: prove.Failed, Source: prove.FromProver, Number: code, Message: message, Data: data}
	}
	unavailable := outcome{Status: prove.Unavailable, Source: prove.FromRelay, Code: domain.CodeProverUnavailable}
	unknown := outcome{Status: prove.UnknownDelivery, Source: prove.FromRelay, Code: prove.CodeDeliveryUnknown}
	reverted := sim.RevertPrefix + "0x1), revert reason: SCREENING_REQUIRED"
	for name, c := range map[string]struct {
		reply sim.Reply
		want  outcome
	}{
		"proof":                            {sim.Succeed(), outcome{Status: prove.Succeeded, Proof: true}},
		"attested proof":                   {sim.Attest(), outcome{Status: prove.Succeeded, Proof: true}},
		"24":                               {sim.Replies["24"], refused(24, `"Block not found"`, "")},
		"55":                               {sim.Replies["55"], refused(55, `"Account validation failed"`, `"Account: invalid signature."`)},
		"61":                               {sim.Replies["61"], refused(61, `"the transaction version is not supported"`, "")},
		"1000":                             {sim.Replies["1000"], refused(1000, `"Invalid transaction input"`, `"tip: must be 0x0."`)},
		"1001":                             {sim.Replies["1001"], refused(1001, `"the transaction type is not supported"`, `"DECLARE"`)},
		"blocked":                          {sim.Replies["10000"], refused(10000, `"Transaction blocked"`, "")},
		"blocked with data":                {sim.Replies["blocked"], refused(10000, `"Transaction rejected"`, `"address_blocked"`)},
		"an error of the node":             {sim.Fail(41, "Transaction execution error", map[string]int{"n": 1}), refused(41, `"Transaction execution error"`, `{"n":1}`)},
		"zero":                             {sim.Fail(0, "", nil), refused(0, `""`, "")},
		"screening unavailable":            {sim.Replies["screening_unavailable"], unavailable},
		"reverted":                         {sim.Replies["reverted"], refused(-32603, `"Internal error"`, `"`+reverted+`"`)},
		"internal":                         {sim.Replies["internal"], unavailable},
		"internal without data":            {sim.Fail(-32603, "Internal error", nil), unavailable},
		"internal with other data":         {sim.Fail(-32603, "Internal error", map[string]string{"reason": reverted}), unavailable},
		"internal with the prefix inside":  {sim.Fail(-32603, "Internal error", "x"+reverted), unavailable},
		"revert text of another code":      {sim.Fail(-32000, "Server error", reverted), unavailable},
		"busy":                             {sim.Replies["busy"], unavailable},
		"invalid params":                   {sim.Fail(-32602, "Invalid params", nil), unavailable},
		"cut before the request was read":  {sim.CutUnread(), unknown},
		"cut after the request was read":   {sim.CutRead(), unknown},
		"cut within the answer":            {sim.Truncate(), unknown},
		"refused by a gateway":             {sim.Status(503), unavailable},
		"too many requests at a gateway":   {sim.Status(429), unavailable},
		"gateway that gave up":             {sim.Status(504), unknown},
		"server error without JSON":        {sim.Status(500), unknown},
		"an answer that is no JSON at all": {sim.Status(200), unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t)
			p := d.runs()
			d.sim.Script(c.reply)
			id := p.submits("one").ID
			p.awaits(c.want.Status)
			if c.want.Status != prove.Unavailable {
				replayed, admission, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("one"), body(transaction("0x1")))
				if err != nil || admission != prove.Replayed || replayed.ID != id {
					t.Errorf("got admission %d and %v, want a replay", admission, err)
				}
			}
			job := p.has(id, c.want.Status)
			if job.CompletedAt == nil || job.Attempts != 1 || job.DispatchedAt == nil || job.Position != 0 {
				t.Errorf("got %+v, want a completed job with one attempt", job)
			}
			first := seen(t, job, nil)
			polled, payload := p.polls(id)
			if diff := cmp.Diff(c.want, seen(t, polled, payload)); diff != "" {
				t.Errorf("first poll (-want +got):\n%s", diff)
			}
			after := c.want
			after.Message, after.Data, after.Proof = "", "", false
			if diff := cmp.Diff(after, first); diff != "" {
				t.Errorf("job before the poll (-want +got):\n%s", diff)
			}
			after.Gone = c.want.Status == prove.Succeeded
			polled, payload = p.polls(id)
			if diff := cmp.Diff(after, seen(t, polled, payload)); diff != "" {
				t.Errorf("second poll (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAttestationIsPassedThroughVerbatim(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	d.sim.Script(sim.Attest())
	id := p.submits("one").ID
	p.awaits(prove.Succeeded)
	_, payload := p.polls(id)
	var result sim.Result
	if err := json.Unmarshal(payload.Result.Reveal(), &result); err != nil || result.AdditionalData == nil || result.AdditionalData.Signature.IssuedAt == 0 {
		t.Errorf("got %+v and %v, want the signature of the screening", result.AdditionalData, err)
	}
}

func TestNothingSentIsUnavailable(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	d.url = "http://127.0.0.1:1" // nothing listens there
	p := d.runs()
	id := p.submits("one").ID
	p.awaits(prove.Unavailable)
	if job := p.has(id, prove.Unavailable); job.Attempts != 1 {
		t.Errorf("got %d attempts, want 1", job.Attempts)
	}
}
