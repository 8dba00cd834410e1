package strictjson

import (
	stdjson "encoding/json"
	"maps"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

// buildPackage is a request body of twelve required fields, one of them a
// number.
type buildPackage struct {
	SelectedClassHash string `json:"selectedClassHash"`
	UploadDigest      string `json:"uploadDigest"`
	UploadByteLength  uint64 `json:"uploadByteLength"`
	ToolchainPolicyID string `json:"toolchainPolicyId"`
	PackageName       string `json:"packageName"`
	BuildProfile      string `json:"buildProfile"`
	TargetName        string `json:"targetName"`
	TargetKind        string `json:"targetKind"`
	ArtifactID        string `json:"artifactId"`
	ModulePath        string `json:"modulePath"`
	SourceVisibility  string `json:"sourceVisibility"`
	RetentionPolicyID string `json:"retentionPolicyId"`
}

const packageBody = `{
	"selectedClassHash": "0x42ccc62722a1ec39eed7c9522e42ead655859cb984f93070317cde724051703",
	"uploadDigest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"uploadByteLength": 12345,
	"toolchainPolicyId": "service-exact-v25",
	"packageName": "hello",
	"buildProfile": "release",
	"targetName": "hello",
	"targetKind": "starknet-contract",
	"artifactId": "hello_Hello",
	"modulePath": "hello::Hello",
	"sourceVisibility": "private",
	"retentionPolicyId": "private-24h-v1"
}`

func TestEachOfTwelveFieldsIsRequiredAndNamedWhenMissing(t *testing.T) {
	t.Parallel()
	var complete map[string]any
	if err := stdjson.Unmarshal([]byte(packageBody), &complete); err != nil {
		t.Fatal(err)
	}
	if len(complete) != 12 {
		t.Fatalf("the body has %d fields, want 12", len(complete))
	}
	for key := range complete {
		partial := maps.Clone(complete)
		delete(partial, key)
		body, err := stdjson.Marshal(partial)
		if err != nil {
			t.Fatal(err)
		}
		var target buildPackage
		want := Error{Kind: MissingKey, Path: "/" + key, Key: key, Message: `missing key "` + key + `"`}
		expectError(t, Decode(body, &target), want)
	}
}

func TestDecodeStoresTheWholeBody(t *testing.T) {
	t.Parallel()
	var got buildPackage
	if err := Decode([]byte(packageBody), &got); err != nil {
		t.Fatal(err)
	}
	want := buildPackage{
		SelectedClassHash: "0x42ccc62722a1ec39eed7c9522e42ead655859cb984f93070317cde724051703",
		UploadDigest:      "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		UploadByteLength:  12345,
		ToolchainPolicyID: "service-exact-v25",
		PackageName:       "hello",
		BuildProfile:      "release",
		TargetName:        "hello",
		TargetKind:        "starknet-contract",
		ArtifactID:        "hello_Hello",
		ModulePath:        "hello::Hello",
		SourceVisibility:  "private",
		RetentionPolicyID: "private-24h-v1",
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// proveBody is a body whose larger part is forwarded unchanged.
type proveBody struct {
	BlockID struct {
		BlockNumber uint64 `json:"block_number"`
	} `json:"block_id"`
	Transaction Raw `json:"transaction"`
}

func TestRawMembersAreKeptByteForByte(t *testing.T) {
	t.Parallel()
	transaction := `{ "type":"INVOKE", "calldata":[ "0x1" ,"\u0030x2"], "tip": 1.50E+2, "big":123456789012345678901 }`
	body := []byte(`{"transaction": ` + transaction + ` , "block_id":{"block_number":7}}`)
	var target proveBody
	if err := Decode(body, &target); err != nil {
		t.Fatal(err)
	}
	var standard struct {
		BlockID     any                `json:"block_id"`
		Transaction stdjson.RawMessage `json:"transaction"`
	}
	if err := Decode(body, &standard); err != nil {
		t.Fatal(err)
	}
	clear(body) // decoded values must not alias the request's buffer
	if got := string(target.Transaction); got != transaction {
		t.Errorf("Raw: got %s, want %s", got, transaction)
	}
	if got := string(standard.Transaction); got != transaction {
		t.Errorf("json.RawMessage: got %s, want %s", got, transaction)
	}
}

func TestRawMembersKeepNull(t *testing.T) {
	t.Parallel()
	var target proveBody
	err := Decode([]byte(`{"block_id":{"block_number":7},"transaction":null}`), &target)
	if err != nil || string(target.Transaction) != "null" {
		t.Errorf("got %q, %v, want null", target.Transaction, err)
	}
}

func TestRawMembersAreStillChecked(t *testing.T) {
	t.Parallel()
	var target proveBody
	err := Decode([]byte(`{"block_id":{"block_number":7},"transaction":{"a":[{"b":1,"b":1}]}}`), &target)
	expectError(t, err, Error{
		Kind: DuplicateKey, Path: "/transaction/a/0/b", Key: "b", Message: `duplicate key "b"`,
	})
}

// everything has one member of each kind that Decode treats differently.
type everything struct {
	embedded
	Flag     bool             `json:"flag"`
	Ratio    float64          `json:"ratio"`
	Small    int8             `json:"small"`
	Blob     []byte           `json:"blob,omitzero"`
	When     time.Time        `json:"when,omitzero"`
	Addr     netip.Addr       `json:"addr,omitzero"`
	Pair     [2]uint64        `json:"pair,omitempty"`
	Free     any              `json:"free,omitzero"`
	Pointer  *uint64          `json:"pointer"`
	Children []everything     `json:"children,omitzero"`
	ByName   map[string]inner `json:"byName,omitzero"`
	Untagged string           `json:",omitzero"`
	Ignored  string           `json:"-"`
	private  string
}

type embedded struct {
	Name string `json:"name"`
}

type inner struct {
	Count uint64 `json:"count"`
}

func TestDecodeRefusesWhatTheTypeDoesNotExpect(t *testing.T) {
	t.Parallel()
	const required = `"name":"n","flag":true,"ratio":0.5,"small":-1`
	cases := []struct {
		name, body string
		want       Error
	}{
		{"unknown key", `{` + required + `,"txHashes":[]}`,
			Error{Kind: UnknownKey, Path: "/txHashes", Key: "txHashes", Message: `unknown key "txHashes"`}},
		{"unknown key of a map's value", `{` + required + `,"byName":{"a/b":{"count":1,"x":2}}}`,
			Error{Kind: UnknownKey, Path: "/byName/a~1b/x", Key: "x", Message: `unknown key "x"`}},
		{"unexported field", `{` + required + `,"private":""}`,
			Error{Kind: UnknownKey, Path: "/private", Key: "private", Message: `unknown key "private"`}},
		{"ignored field", `{` + required + `,"Ignored":""}`,
			Error{Kind: UnknownKey, Path: "/Ignored", Key: "Ignored", Message: `unknown key "Ignored"`}},
		{"wrong case", `{"Name":"n"}`,
			Error{Kind: WrongCaseKey, Path: "/Name", Key: "Name", Message: `unknown key "Name", expected "name"`}},
		{"wrong case beside the right one", `{` + required + `,"FLAG":true}`,
			Error{Kind: WrongCaseKey, Path: "/FLAG", Key: "FLAG", Message: `unknown key "FLAG", expected "flag"`}},
		{"duplicate key", `{` + required + `,"flag":true}`,
			Error{Kind: DuplicateKey, Path: "/flag", Key: "flag", Message: `duplicate key "flag"`}},
		{"duplicate key by escape", `{` + required + `,"\u0066lag":true}`,
			Error{Kind: DuplicateKey, Path: "/flag", Key: "flag", Message: `duplicate key "flag"`}},
		{"duplicate key in a free value", `{` + required + `,"free":[{"a":1,"a":2}]}`,
			Error{Kind: DuplicateKey, Path: "/free/0/a", Key: "a", Message: `duplicate key "a"`}},
		{"missing key of an embedded struct", `{"flag":true,"ratio":0.5,"small":-1}`,
			Error{Kind: MissingKey, Path: "/name", Key: "name", Message: `missing key "name"`}},
		{"missing key of an array's element", `{` + required + `,"children":[{` + required + `},{"name":"n"}]}`,
			Error{Kind: MissingKey, Path: "/children/1/flag", Key: "flag", Message: `missing key "flag"`}},
		{"string for a boolean", `{"flag":"true"}`,
			Error{Kind: TypeMismatch, Path: "/flag", Message: "expected a boolean"}},
		{"number for a string", `{"name":1}`,
			Error{Kind: TypeMismatch, Path: "/name", Message: "expected a string"}},
		{"string for a number", `{"ratio":"1"}`,
			Error{Kind: TypeMismatch, Path: "/ratio", Message: "expected a number"}},
		{"object for an array", `{"children":{}}`,
			Error{Kind: TypeMismatch, Path: "/children", Message: "expected an array"}},
		{"array for an object", `{"byName":[]}`,
			Error{Kind: TypeMismatch, Path: "/byName", Message: "expected an object"}},
		{"number for a text type", `{"addr":1}`,
			Error{Kind: TypeMismatch, Path: "/addr", Message: "expected a string"}},
		{"array for the whole", `[]`,
			Error{Kind: TypeMismatch, Message: "expected an object"}},
		{"null for the whole", `null`,
			Error{Kind: TypeMismatch, Message: "expected an object"}},
		{"null for a string", `{"name":null}`,
			Error{Kind: TypeMismatch, Path: "/name", Message: "expected a string"}},
		{"null for an array", `{"children":null}`,
			Error{Kind: TypeMismatch, Path: "/children", Message: "expected an array"}},
		{"null for an element", `{"pair":[1,null]}`,
			Error{Kind: TypeMismatch, Path: "/pair/1", Message: "expected a number"}},
		{"null for a type that decodes itself", `{"when":null}`,
			Error{Kind: TypeMismatch, Path: "/when", Message: "expected a value other than null"}},
		{"number too large for its type", `{"name":"n","flag":true,"ratio":0.5,"small":128}`,
			Error{Kind: NumberOutOfRange, Path: "/small", Message: "number out of range"}},
		{"float too large for its type", `{"name":"n","flag":true,"ratio":1e400,"small":1}`,
			Error{Kind: NumberOutOfRange, Path: "/ratio", Message: "number out of range"}},
		{"integral spelling for a Go integer", `{"name":"n","flag":true,"ratio":0.5,"small":1.0}`,
			Error{Kind: NotIntegral, Path: "/small", Message: "expected an integer in plain digits"}},
		{"fraction for a Go integer", `{` + required + `,"pointer":1.5}`,
			Error{Kind: NotIntegral, Path: "/pointer", Message: "expected an integer in plain digits"}},
		{"string for a Go integer", `{` + required + `,"pointer":"1"}`,
			Error{Kind: TypeMismatch, Path: "/pointer", Message: "expected a number"}},
		{"comma before the end", `{"flag":true,}`,
			Error{Kind: Syntax, Message: "malformed JSON at byte 12"}},
		{"comma before an array's end", `{"pair":[1,]}`,
			Error{Kind: Syntax, Path: "/pair", Message: "malformed JSON at byte 10"}},
		{"key that is not a string", `{"byName":{1:2}}`,
			Error{Kind: Syntax, Path: "/byName", Message: "malformed JSON at byte 11"}},
		{"array of another length", `{` + required + `,"pair":[1]}`,
			Error{Kind: InvalidValue, Path: "/pair", Message: "invalid value"}},
		{"text that is not base64", `{` + required + `,"blob":"?"}`,
			Error{Kind: InvalidValue, Path: "/blob", Message: "invalid value"}},
		{"text that is not a time", `{` + required + `,"when":"noon"}`,
			Error{Kind: InvalidValue, Path: "/when", Message: "invalid value"}},
		{"text that is not an address", `{` + required + `,"addr":"nowhere"}`,
			Error{Kind: InvalidValue, Path: "/addr", Message: "invalid value"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var target everything
			expectError(t, Decode([]byte(c.body), &target), c.want)
		})
	}
}

func TestDecodeAcceptsWhatTheTypeExpects(t *testing.T) {
	t.Parallel()
	body := ` {"name":"n","flag":false,"ratio":1e-3,"small":-128,"blob":"AQI=","when":"2026-01-02T03:04:05Z",
		"addr":"192.0.2.1","pair":[1,2],"free":null,"pointer":null,"byName":{"":{"count":0}},"Untagged":"u",
		"children":[{"name":"","flag":true,"ratio":0,"small":0,"pointer":1}]} ` + "\r\n\t"
	var got everything
	if err := Decode([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	one := uint64(1)
	want := everything{
		embedded: embedded{Name: "n"},
		Ratio:    1e-3,
		Small:    -128,
		Blob:     []byte{1, 2},
		When:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Addr:     netip.MustParseAddr("192.0.2.1"),
		Pair:     [2]uint64{1, 2},
		ByName:   map[string]inner{"": {}},
		Untagged: "u",
		Children: []everything{{Flag: true, Pointer: &one}},
		private:  "",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestUnknownKeysOfOtherServersCanBeSkipped(t *testing.T) {
	t.Parallel()
	var got inner
	if err := Decode([]byte(`{"grown":{"a":[1]},"count":3,"Count":4}`), &got, AllowUnknownKeys()); err != nil {
		t.Fatal(err)
	}
	if got.Count != 3 {
		t.Errorf("got count %d, want 3", got.Count)
	}
	err := Decode([]byte(`{"grown":{"a":1,"a":2},"count":3}`), &got, AllowUnknownKeys())
	expectError(t, err, Error{Kind: DuplicateKey, Path: "/grown/a", Key: "a", Message: `duplicate key "a"`})
}

func TestDecodeIntoAnythingButAPointerPanics(t *testing.T) {
	t.Parallel()
	for _, target := range []any{nil, inner{}, (*inner)(nil)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: got no panic, want one", target)
				}
			}()
			_ = Decode([]byte(`{"count":1}`), target)
		}()
	}
}
