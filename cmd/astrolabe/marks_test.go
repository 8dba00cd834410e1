package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/sim/prover"
)

// marks are contents that must not be found where anything is written.
type marks struct {
	body    string // in every transaction
	key     string // in every idempotency key
	results []string
}

const maxResults = 40 // whose proofs are searched for

func newMarks() marks {
	return marks{body: "Marked-Body-b0d1e5c3a9f7", key: "Marked-Key-4f6a8c2e"}
}

// expectResult adds the proof that the prover makes of a transaction, whether it is
// delivered or not.
func (m *marks) expectResult(t *testing.T, transaction string) {
	t.Helper()
	if len(m.results) >= maxResults {
		return
	}
	recorder := httptest.NewRecorder()
	request := `{"jsonrpc":"2.0","id":1,"method":"starknet_proveTransaction","params":{"block_id":{"block_number":7},"transaction":` + transaction + `}}`
	prover.New(prover.Options{}).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(request)))
	var answer struct{ Result struct{ Proof string } }
	if json.Unmarshal(recorder.Body.Bytes(), &answer) != nil || len(answer.Result.Proof) < 1000 {
		return // it refuses the transaction
	}
	m.results = append(m.results, answer.Result.Proof[600:648])
}

// forms returns every form in which a mark could be written: as it is, in hex, and in
// base64 at each of the three positions that it can have.
func forms(mark string) map[string][]byte {
	all := map[string][]byte{
		"plain": []byte(mark), "hex": []byte(hex.EncodeToString([]byte(mark))), "HEX": []byte(strings.ToUpper(hex.EncodeToString([]byte(mark)))),
	}
	for offset := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", offset) + mark))
		first := (offset*8 + 5) / 6 // characters that depend on what stands before it
		all[fmt.Sprintf("base64+%d", offset)] = []byte(text[first : len(text)-1])
	}
	return all
}

// list returns the marks by name, in all forms.
func (m marks) list() map[string][]byte {
	all := map[string][]byte{
		"message": []byte("Account validation failed"), "data": []byte("Account: invalid signature."), "reverted": []byte("revert reason: SCREENING_REQUIRED"),
	}
	for name, mark := range map[string]string{"body": m.body, "key": m.key} {
		for form, text := range forms(mark) {
			all[name+" "+form] = text
		}
	}
	for i, proof := range m.results {
		all[fmt.Sprintf("proof %d", i)] = []byte(proof)
		if raw, err := base64.StdEncoding.DecodeString(proof); err == nil {
			all[fmt.Sprintf("proof %d raw", i)] = raw
			all[fmt.Sprintf("proof %d hex", i)] = []byte(hex.EncodeToString(raw))
		}
	}
	return all
}

// in returns which marks a text has.
func (m marks) in(text []byte) (found []string) {
	for name, mark := range m.list() {
		if bytes.Contains(text, mark) {
			found = append(found, name)
		}
	}
	return found
}

// places are all texts in which the marks are searched, by name: every file below the
// folder, the output of the programs, a pg_dump and the rows of every table.
func (v *proving) places() map[string][]byte {
	v.Helper()
	dump, err := exec.CommandContext(v.Context(), "pg_dump", v.url).Output()
	if err != nil {
		v.Fatalf("pg_dump: %v", err)
	}
	all := map[string][]byte{"pg_dump": dump, "output": []byte(strings.Join(v.outputs, "\n")), "tables": v.tables()}
	_, err = v.conn.Exec(v.Context(), "CHECKPOINT")
	v.must(err)
	v.must(filepath.WalkDir(v.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		place := strings.TrimPrefix(path, v.folder+"/")
		if kind(place) == "wal" {
			content = append(content, joined(content)...)
		}
		all[place] = content
		return err
	}))
	return all
}

// joined returns the records of a segment of the write-ahead log, without the headers
// of its pages, which may divide a mark.
func joined(segment []byte) (records []byte) {
	for page := range slices.Chunk(segment, 8192) {
		header := 24
		if len(records) == 0 {
			header = 40 // the first page of a segment has a longer one
		}
		records = append(records, page[min(header, len(page)):]...)
	}
	return records
}

// tables returns the text of every row of every table.
func (v *proving) tables() (text []byte) {
	v.Helper()
	rows, err := v.conn.Query(v.Context(), "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
	v.must(err)
	var names []string
	for rows.Next() {
		var name string
		v.must(rows.Scan(&name))
		names = append(names, name)
	}
	v.must(rows.Err())
	for _, name := range names {
		var content string
		v.must(v.conn.QueryRow(v.Context(), "SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM "+name+" t").Scan(&content))
		text = append(append(text, name+"\n"+content...), '\n')
	}
	return text
}

// searches expects no mark anywhere. Then it plants them, and expects them in each kind
// of place: a search that can find nothing proves nothing.
func (v *proving) searches() {
	v.Helper()
	for _, p := range []*relaying{v.victim, v.survivor} {
		p.stop(v.T)
	}
	for _, p := range v.started {
		v.outputs = append(v.outputs, p.text())
	}
	kinds := map[string]int{}
	for place, text := range v.places() {
		kinds[kind(place)]++
		if found := v.marks.in(text); len(found) > 0 {
			v.Errorf("%s: got the marks %v, want none", place, found)
		}
	}
	v.Logf("searched %v for %d marks", kinds, len(v.marks.list()))

	planted := v.marks.list()
	_, err := v.conn.Exec(v.Context(), "CREATE TABLE planted (mark text)")
	v.must(err)
	for _, mark := range planted {
		if bytes.ContainsRune(mark, 0) || !json.Valid([]byte(fmt.Sprintf("%q", mark))) || strings.ToValidUTF8(string(mark), "") != string(mark) {
			continue // raw bytes are no text
		}
		_, err := v.conn.Exec(v.Context(), fmt.Sprintf("INSERT INTO planted VALUES ('%s')", mark))
		v.must(err)
	}
	v.must(os.WriteFile(filepath.Join(v.folder, "tmp", "planted"), bytes.Join(values(planted), []byte("\n")), 0o600))
	v.outputs = append(v.outputs, string(bytes.Join(values(planted), []byte("\n"))))
	missed := map[string]map[string]bool{}
	for place, text := range v.places() {
		if missed[kind(place)] == nil {
			missed[kind(place)] = map[string]bool{}
			for name := range planted {
				missed[kind(place)][name] = true
			}
		}
		for _, name := range v.marks.in(text) {
			delete(missed[kind(place)], name)
		}
	}
	for _, where := range []string{"pg_dump", "output", "tables", "wal", "base", "log", "tmp"} {
		left, searched := missed[where]
		for name := range left {
			if !strings.HasSuffix(name, " raw") {
				v.Errorf("%s: got the planted mark %s not found, want it found", where, name)
			}
		}
		if !searched {
			v.Errorf("got no %s searched, want it", where)
		}
	}
}

func values(m map[string][]byte) (list [][]byte) {
	for _, value := range m {
		list = append(list, value)
	}
	return list
}

// kind returns the kind of a place.
func kind(place string) string {
	for _, part := range []string{"pg_wal/", "base/", "log/", "tmp/"} {
		if strings.Contains(place, part) {
			return strings.Trim(strings.TrimPrefix(part, "pg_"), "/")
		}
	}
	if strings.Contains(place, "/") {
		return "other files"
	}
	return place
}
