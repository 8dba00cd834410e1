package verify_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
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

func TestNothingIsPublishedIfSigningFails(t *testing.T) {
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
	number := 0
	for what, make := range map[string]func() *verify.Controller{
		"unregistered": func() *verify.Controller { return c.controller(2) },
		"retired":      func() *verify.Controller { made := c.registered(3); end(3, verify.RetireKey); return made },
		"revoked":      func() *verify.Controller { made := c.registered(4); end(4, verify.RevokeKey); return made },
		"another toolchain than the build": func() *verify.Controller {
			made := verify.NewController(store.NewAdmissions(c.role), signer(5), receipt.Demo, verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: keyToolchain.Digest}, c.clock.now)
			if err := made.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			return made
		},
		"a broken key": func() *verify.Controller {
			c.registered(6)
			return verify.NewController(store.NewAdmissions(c.role), foreign, receipt.Demo, keyToolchain, c.clock.now)
		},
		"registered for another environment": func() *verify.Controller {
			c.registered(8)
			return verify.NewController(store.NewAdmissions(c.role), signer(8), receipt.Production, keyToolchain, c.clock.now)
		},
	} {
		controller := make()
		number++
		job := c.compares(controller, c.comparing("s"+string(rune('a'+number)), c.document))
		c.fails(what, job, verify.Failed, verify.SigningFailed)
		if !job.Failure.Code.Retryable() || !strings.Contains(job.Failure.Message, "nothing was published") {
			t.Errorf("%s: got %v, want a retryable failure that says that nothing was published", what, job.Failure)
		}
	}
	if n := len(c.checksReceipts()); n != 0 {
		t.Errorf("got %d receipts, want none", n)
	}
	if job := c.compares(c.registered(1), c.comparing("sz", c.document)); *job.ReceiptID != 1 {
		t.Errorf("got the receipt %d, want 1: failures take no number", *job.ReceiptID)
	}
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
