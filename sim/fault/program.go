package fault

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
)

// anotherProgram changes the first felt of the bytecode of a Cairo 0 program,
// which is compressed JSON in base64. A program that cannot be read becomes an
// empty one.
func anotherProgram(text string) string {
	plain, err := gunzip(text)
	if err != nil {
		return ""
	}
	var bytecode struct {
		Data []string `json:"data"`
	}
	if err := json.Unmarshal(plain, &bytecode); err != nil || len(bytecode.Data) == 0 {
		return ""
	}
	first := `"` + bytecode.Data[0] + `"`
	at := bytes.Index(plain, []byte(`"data"`)) // the list is the only member of that name at the top of a program
	before, after, found := bytes.Cut(plain[max(at, 0):], []byte(first))
	if !found {
		return ""
	}
	changed := bytes.Join([][]byte{plain[:max(at, 0)], before, []byte(`"` + anotherHex(bytecode.Data[0]) + `"`), after}, nil)
	return zip(changed)
}

func gunzip(text string) ([]byte, error) {
	reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

func zip(plain []byte) string {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write(plain) // a buffer accepts everything
	_ = writer.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
