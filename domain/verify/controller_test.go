package verify_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
)

func TestAReproducedClassGetsAReceiptOfItsDeclaration(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	id := c.comparing("w", c.document)
	job := c.compares(controller, id)
	if job.State != verify.Succeeded || job.ReceiptID == nil || *job.ReceiptID != 1 || job.ProducedClassHash == nil || *job.ProducedClassHash != c.built.Hash {
		t.Fatalf("got %+v, want it succeeded with the receipt 1", job)
	}
	var got receipt.Receipt
	if err := json.Unmarshal([]byte(c.checksReceipts()[0]), &got); err != nil {
		t.Fatal(err)
	}
	var want receipt.Declaration
	var block uint64
	var hash, tx starknet.Felt
	if err := c.conn.QueryRow(t.Context(), `SELECT d.block, b.hash, t.hash FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class
		JOIN blocks b ON b.chain = d.chain AND b.block = d.block JOIN transactions t ON t.chain = d.chain AND t.block = d.block AND t.tx = d.tx
		WHERE k.hash = $1`, c.built.Hash).Scan(&block, &hash, &tx); err != nil {
		t.Fatal(err)
	}
	want.BlockHash, want.TransactionHash, want.CompiledClassHash = hash.String(), tx.String(), c.built.CompiledHash.String()
	want.BlockNumber = got.Evidence.Declaration.BlockNumber
	if diff := cmp.Diff(want, got.Evidence.Declaration); diff != "" || uint64(want.BlockNumber) != block {
		t.Errorf("got block %d, want %d, and another declaration than the index has (-want +got):\n%s", want.BlockNumber, block, diff)
	}
	if done, err := controller.Compare(t.Context(), id); done || err != nil {
		t.Errorf("got decided %t and %v, want nothing done for a job that has ended", done, err)
	}
	if len(c.checksReceipts()) != 1 {
		t.Error("got another receipt for the same job, want one")
	}
}

// TestAReceiptIsDatedByTheControllerAndTheDatabase lets a builder write a time that
// is later than the controller's, and lets the clock of the controller go wrong.
func TestAReceiptIsDatedByTheControllerAndTheDatabase(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	id, another := c.building("w", c.document), c.comparing("another", c.document)
	builder := repotest.As(t, c.conn, repo.BuilderRole)
	if _, err := builder.Write().ExecContext(t.Context(), "UPDATE verification_jobs SET state = 4, updated_at = now() + interval '4 minutes' WHERE id = ?", id); err != nil {
		t.Fatal(err)
	}
	c.compares(controller, id)
	c.clock.passes(100 * 365 * 24 * time.Hour)
	c.compares(controller, another)
	var issued []time.Time
	for _, body := range c.checksReceipts() {
		var got receipt.Receipt
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		issued = append(issued, got.Evidence.Issued())
	}
	if !issued[0].Equal(noon) || issued[1].After(time.Now().Add(time.Hour)) {
		t.Errorf("got receipts of %v, want one of %s by the controller's clock, and one by the database's", issued, noon)
	}
}

func TestAControllerWhoseClockIsBehindTheJobSignsNothing(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	id := c.comparing("w", c.document)
	c.clock.passes(-time.Minute)
	c.fails("a clock behind the job", c.compares(controller, id), verify.Failed, verify.SigningFailed)
}

// changed returns the class with one change in its JSON.
func changed(t *testing.T, document []byte, change func(*starknet.SierraClass)) []byte {
	t.Helper()
	var class starknet.SierraClass
	if err := json.Unmarshal(document, &class); err != nil {
		t.Fatal(err)
	}
	change(&class)
	text, err := json.Marshal(class)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATamperedCandidateIsAMismatch(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	one := starknet.FeltFromUint64(123_456_789)
	cases := map[string]func(*starknet.SierraClass){
		"first felt":       func(k *starknet.SierraClass) { k.SierraProgram[0] = one },
		"last felt":        func(k *starknet.SierraClass) { k.SierraProgram[len(k.SierraProgram)-1] = one },
		"one felt less":    func(k *starknet.SierraClass) { k.SierraProgram = k.SierraProgram[1:] },
		"one felt more":    func(k *starknet.SierraClass) { k.SierraProgram = append(k.SierraProgram, starknet.Felt{}) },
		"ABI space":        func(k *starknet.SierraClass) { k.ABI += " " },
		"ABI character":    func(k *starknet.SierraClass) { k.ABI = strings.Replace(k.ABI, "name", "nama", 1) },
		"no ABI":           func(k *starknet.SierraClass) { k.ABI = "" },
		"selector":         func(k *starknet.SierraClass) { k.EntryPointsByType.External[0].Selector = one },
		"function":         func(k *starknet.SierraClass) { k.EntryPointsByType.External[0].FunctionIdx++ },
		"entry point less": func(k *starknet.SierraClass) { k.EntryPointsByType.External = k.EntryPointsByType.External[1:] },
		"entry point kind": func(k *starknet.SierraClass) {
			k.EntryPointsByType.L1Handler, k.EntryPointsByType.External = append(k.EntryPointsByType.L1Handler, k.EntryPointsByType.External[0]), k.EntryPointsByType.External[1:]
		},
	}
	number := 0
	for what, change := range cases {
		number++
		document := changed(t, c.document, change)
		if what == "no ABI" {
			document = bytes.Replace(document, []byte(`{`), []byte(`{"abi":"",`), 1)
		}
		job := c.compares(controller, c.comparing("m"+string(rune('a'+number)), document))
		c.fails(what, job, verify.Mismatch, verify.ClassHashMismatch)
		var built starknet.SierraClass
		if err := json.Unmarshal(document, &built); err != nil {
			t.Fatal(err)
		}
		if job.ProducedClassHash == nil || *job.ProducedClassHash != built.Hash() || !strings.Contains(job.Failure.Message, built.Hash().String()) {
			t.Errorf("%s: got the produced class %v and %q, want %s in both", what, job.ProducedClassHash, job.Failure.Message, built.Hash())
		}
	}
	c.checksReceipts()
}

// The class hash does not cover every byte of the JSON, so that what is not
// covered must have one form.
func TestACandidateThatIsNotExactlyAClassIsNotSigned(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	plain := changed(t, c.document, func(*starknet.SierraClass) {})
	replaced := func(old, replacement string) []byte {
		if !bytes.Contains(plain, []byte(old)) {
			t.Fatalf("got no %s in the class, want one", old)
		}
		return bytes.Replace(plain, []byte(old), []byte(replacement), 1)
	}
	number := 0
	for what, document := range map[string][]byte{
		"another version":    replaced(`"contract_class_version":"0.1.0"`, `"contract_class_version":"0.1.1"`),
		"a duplicate key":    replaced(`{`, `{"contract_class_version":"0.1.0",`),
		"an unknown key":     replaced(`{`, `{"more":1,`),
		"a misspelled key":   replaced(`"sierra_program"`, `"Sierra_program"`),
		"no program":         []byte(`{}`),
		"two values":         append(bytes.Clone(c.document), c.document...),
		"no JSON":            []byte("class"),
		"nothing":            {},
		"an unreduced felt":  replaced(`"sierra_program":["0x1",`, `"sierra_program":["0x`+strings.Repeat("f", 63)+`",`),
		"a deep ABI":         replaced(`{`, `{"sierra_program_debug_info":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,`),
		"an entry point key": replaced(`"function_idx"`, `"function_index":0,"function_idx"`),
	} {
		number++
		c.fails(what, c.compares(controller, c.comparing("n"+string(rune('a'+number)), document)), verify.Failed, verify.DispatchFailed)
	}
}

func TestADeclarationMustBeFinal(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	number := 0
	for what, change := range map[string]string{
		"not final":         "UPDATE index_checkpoints SET finalized_block = 0",
		"nothing final":     "UPDATE index_checkpoints SET finalized_block = NULL",
		"no transaction":    "UPDATE declarations SET tx = NULL",
		"no compiled class": "UPDATE declarations SET compiled = NULL",
		"undeclared":        "DELETE FROM declarations",
	} {
		number++
		c.do("CREATE TABLE IF NOT EXISTS saved_declarations AS TABLE declarations")
		c.do("CREATE TABLE IF NOT EXISTS saved_checkpoints AS TABLE index_checkpoints")
		id := c.comparing("d"+string(rune('a'+number)), c.document)
		c.do(change)
		c.fails(what, c.compares(controller, id), verify.Failed, verify.DeclarationUnavailable)
		c.do("TRUNCATE declarations, index_checkpoints")
		c.do("INSERT INTO declarations TABLE saved_declarations")
		c.do("INSERT INTO index_checkpoints TABLE saved_checkpoints")
	}
	if job := c.compares(controller, c.comparing("dz", c.document)); job.State != verify.Succeeded {
		t.Errorf("got %s and %v, want a final declaration signed", job.State, job.Failure)
	}
}

// A receipt that would not be valid is not signed.
func TestNothingIsPublishedIfSigningFails(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	c.do(`UPDATE transactions t SET hash = decode(repeat('00', 32), 'hex') FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class
		WHERE k.hash = $1 AND t.chain = d.chain AND t.block = d.block AND t.tx = d.tx`, c.built.Hash)
	job := c.compares(c.registered(1), c.comparing("s", c.document))
	c.fails("a transaction hash of zero", job, verify.Failed, verify.SigningFailed)
	if !job.Failure.Code.Retryable() || !strings.Contains(job.Failure.Message, "nothing was published") {
		t.Errorf("got %v, want a retryable failure that says that nothing was published", job.Failure)
	}
	if n := len(c.checksReceipts()); n != 0 {
		t.Errorf("got %d receipts, want none", n)
	}
}

// A controller that must not sign leaves jobs to one that may: neither its pass nor
// a comparison that began before its key ended takes or fails them.
func TestAControllerThatIsNotReadyLeavesJobsToAnother(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	keys := verify.NewKeys(store.NewKeys(c.db), c.clock.now)
	end := func(seed byte, end verify.KeyEnd) {
		if _, err := keys.End(t.Context(), signer(seed).ID, end); err != nil {
			t.Fatal(err)
		}
	}
	foreign := signer(6)
	foreign.Private = signer(7).Private // its signatures do not fit its public key
	job := c.comparing("w", c.document)
	for code, make := range map[receipt.Reason]func() *verify.Controller{
		receipt.KeyExpired: func() *verify.Controller { made := c.registered(3); end(3, verify.RetireKey); return made },
		receipt.KeyRevoked: func() *verify.Controller { made := c.registered(4); end(4, verify.RevokeKey); return made },
		receipt.WrongToolchain: func() *verify.Controller {
			c.registered(5)
			return verify.NewController(store.NewAdmissions(c.role), signer(5), receipt.Demo, verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: keyToolchain.Digest}, c.clock.now)
		},
		receipt.InvalidSignature: func() *verify.Controller {
			c.registered(6)
			return verify.NewController(store.NewAdmissions(c.role), foreign, receipt.Demo, keyToolchain, c.clock.now)
		},
		receipt.WrongEnvironment: func() *verify.Controller {
			c.do("UPDATE index_checkpoints SET genesis = (SELECT hash FROM blocks WHERE chain = 1 AND block = 0)")
			return verify.NewController(store.NewAdmissions(c.role), signer(8), receipt.Production, keyToolchain, c.clock.now)
		},
	} {
		controller := make()
		decided, err := controller.Pass(t.Context())
		refused(t, "the pass", err, string(code))
		done, err := controller.Compare(t.Context(), job)
		if code != receipt.WrongToolchain && code != receipt.WrongEnvironment { // whose job is left before the key is looked at, and whose key is not registered
			refused(t, "the comparison", err, string(code))
		}
		if got := c.job(job); decided != 0 || done || got.State != verify.Comparing {
			t.Errorf("%s: got %d decided and the job %s with %v, want it left as it is", code, decided, got.State, got.Failure)
		}
	}
	if decided, err := c.controller(1).Pass(t.Context()); decided != 1 || err != nil || c.job(job).State != verify.Succeeded {
		t.Errorf("got %d decided and %v, want a controller that is ready to take the job", decided, err)
	}
	c.checksReceipts()
}

// During a change of the toolchain, there are builders and controllers for both.
func TestAJobOfAnotherToolchainIsLeftToItsController(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	other := verify.NewController(store.NewAdmissions(c.role), signer(5), receipt.Demo, verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: keyToolchain.Digest}, c.clock.now)
	wrong := changed(t, c.document, func(class *starknet.SierraClass) { class.ABI = "[]" })
	jobs := []string{c.comparing("wa", c.document), c.comparing("wb", wrong), c.comparing("wc", []byte("{}"))}
	if decided, err := other.Pass(t.Context()); decided != 0 || err != nil {
		t.Errorf("got %d decided and %v, want the jobs of another toolchain left, and no error", decided, err)
	}
	if n := c.count("verification_jobs WHERE state = 4"); n != len(jobs) {
		t.Errorf("got %d jobs that are comparing, want all %d", n, len(jobs))
	}
	if decided, err := c.controller(1).Pass(t.Context()); decided != len(jobs) || err != nil {
		t.Errorf("got %d decided and %v, want all %d", decided, err, len(jobs))
	}
	c.checksReceipts()
}

// TestNoReceiptIsSignedForAJobThatWasNotBuilt damages histories behind the triggers.
func TestNoReceiptIsSignedForAJobThatWasNotBuilt(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	for workspace, damage := range map[string]string{
		"empty":   "DELETE FROM verification_history WHERE job = $1",
		"unbuilt": "DELETE FROM verification_history WHERE job = $1 AND state = 3",
		"begun":   "DELETE FROM verification_history WHERE job = $1 AND state = 0",
		"ended":   "UPDATE verification_history SET state = 8 WHERE job = $1 AND state = 2",
		"more":    "INSERT INTO verification_history VALUES ($1, 6, 8, now())",
		"early":   "UPDATE verification_history SET at = at - interval '1 s' WHERE job = $1 AND state = 3",
	} {
		id := c.comparing(workspace, c.document)
		c.do("SET session_replication_role = replica")
		c.do(damage, id)
		c.do("SET session_replication_role = origin")
		if done, err := controller.Compare(t.Context(), id); err != nil || !done {
			t.Errorf("%s: got decided %t and %v, want the job refused", workspace, done, err)
		}
		var state, code string
		if err := c.conn.QueryRow(t.Context(), "SELECT state::text, failure_code FROM verification_jobs WHERE id = $1", id).Scan(&state, &code); err != nil || state != "7" || code != string(verify.SigningFailed) {
			t.Errorf("%s: got the state %s with %s and %v, want a failure with %s", workspace, state, code, err, verify.SigningFailed)
		}
	}
	if n := len(c.checksReceipts()); n != 0 {
		t.Errorf("got %d receipts, want none", n)
	}
}
