package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

var anyClass = starknet.MustFelt("0x42ccc62722a1ec39eed7c9522e42ead655859cb984f93070317cde724051703")

// without removes a field.
func without(field string) func(map[string]any) {
	return func(fields map[string]any) { delete(fields, field) }
}

func TestEachOfTheTwelveFieldsIsRequired(t *testing.T) {
	t.Parallel()
	var fields map[string]any
	if err := json.Unmarshal(described(anyClass), &fields); err != nil || len(fields) != 12 {
		t.Fatalf("got %d fields and %v, want 12", len(fields), err)
	}
	for field := range fields {
		expectFault(t, described(anyClass, without(field)), domain.CodeInvalidVerificationPackage, field)
		expectFault(t, described(anyClass, with(field, nil)), domain.CodeInvalidVerificationPackage, field)
		expectFault(t, described(anyClass, with(field, []string{"x"})), domain.CodeInvalidVerificationPackage, field)
		expectFault(t, described(anyClass, with(field, true)), domain.CodeInvalidVerificationPackage, field)
		if field != "uploadByteLength" {
			expectFault(t, described(anyClass, with(field, "")), domain.CodeInvalidVerificationPackage, field)
			expectFault(t, described(anyClass, with(field, 5)), domain.CodeInvalidVerificationPackage, field)
		}
	}
}

// expectFault expects an error with a code that names a field.
func expectFault(t *testing.T, body []byte, code domain.Code, named string) {
	t.Helper()
	_, err := verify.ParsePackage(body)
	refused, ok := err.(*domain.Error) //nolint:errorlint // it is returned unwrapped
	if !ok || refused.Code != code || !strings.Contains(refused.Message, named) {
		t.Errorf("%.300s: got %v, want %s that names %s", body, err, code, named)
	}
}

func TestEveryFaultOfAFieldIsRejectedAndNamed(t *testing.T) {
	t.Parallel()
	for field, values := range map[string][]any{
		"selectedClassHash": {"42", "0x", "0xg", "0x" + strings.Repeat("f", 64), "0x800000000000011000000000000000000000000000000000000000000000001"},
		"uploadDigest":      {strings.Repeat("a", 64), "sha256:" + strings.Repeat("A", 64), "sha256:" + strings.Repeat("a", 63), "md5:" + strings.Repeat("a", 64), "sha256:" + strings.Repeat("a", 64) + "\n"},
		"uploadByteLength":  {0, -1, 1.5, "12", jsonNumber("-0"), jsonNumber("1e99"), jsonNumber("0.5e0"), verify.MaxUpload + 1, jsonNumber("9007199254740993")},
		"packageName":       {"1hello", "he llo", "hel/lo", "hé", strings.Repeat("a", 129), "a\n", "../x"},
		"buildProfile":      {"dev", "Release", "release "},
		"targetName":        {"1hello", "he llo", strings.Repeat("a", 129)},
		"targetKind":        {"lib", "starknet_contract", "contract"},
		"artifactId":        {"a b", "a/b", strings.Repeat("a", 129), "é"},
		"modulePath":        {"a::", "::a", "a:b", "a::1b", "a b", strings.Repeat("a", 513), "a::b\x00"},
		"sourceVisibility":  {"Private", "secret"},
		"retentionPolicyId": {"private-24h", "public-30d-v1", "private-7d-v2"},
	} {
		for _, value := range values {
			expectFault(t, described(anyClass, with(field, value)), domain.CodeInvalidVerificationPackage, field)
		}
	}
	expectFault(t, described(anyClass, with("sourceVisibility", "public")), domain.CodeInvalidVerificationPackage, "public-30d-v1")
	for _, unknown := range []string{"chainId", "idempotencyKey", "PackageName", "packagename"} {
		expectFault(t, described(anyClass, with(unknown, "hello")), domain.CodeInvalidVerificationPackage, unknown)
	}
	twice := strings.Replace(string(described(anyClass)), "{", `{"packageName":"hello",`, 1)
	expectFault(t, []byte(twice), domain.CodeInvalidVerificationPackage, "packageName")
	for _, body := range []string{"[]", `"x"`, "null", "5"} {
		expectFault(t, []byte(body), domain.CodeInvalidVerificationPackage, "selectedClassHash")
	}
}

func TestOtherPolicyOfAFaultlessPackageIsUnsupported(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"service-exact-v24", "service-exact-v26", "SERVICE-EXACT-V25", " service-exact-v25"} {
		expectFault(t, described(anyClass, with("toolchainPolicyId", policy)), domain.CodeUnsupportedPolicy, "toolchainPolicyId")
		expectFault(t, described(anyClass, with("toolchainPolicyId", policy), with("modulePath", "a b")), domain.CodeInvalidVerificationPackage, "modulePath")
	}
}

func TestBodyThatIsNotJSONIsAnInvalidRequest(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", "packageName=hello", string(described(anyClass)) + "{}", "\xff", strings.Repeat("[", 1000)} {
		expectFault(t, []byte(body), domain.CodeInvalidRequest, "JSON")
	}
}

func TestSpellingsOfOnePackageHaveOneDigest(t *testing.T) {
	t.Parallel()
	digest := func(changes ...func(map[string]any)) [32]byte {
		p, err := verify.ParsePackage(described(anyClass, changes...))
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest()
	}
	length := func(spelling string) func(map[string]any) { return with("uploadByteLength", jsonNumber(spelling)) }
	want := digest(length("12345"))
	for _, spelling := range []string{"12345.0", "12345e0", "1.2345e4", "123450E-1"} {
		if digest(length(spelling)) != want {
			t.Errorf("%s: got another digest, want that of 12345", spelling)
		}
	}
	if digest(length("12345"), with("selectedClassHash", "0x00"+strings.ToUpper(anyClass.String()[2:]))) != want {
		t.Error("got another digest for a padded upper-case felt, want the same")
	}
	for field, value := range map[string]any{
		"selectedClassHash": "0x1", "uploadDigest": "sha256:" + strings.Repeat("0", 64), "uploadByteLength": 12346, "packageName": "other", "targetName": "other",
		"artifactId": "other", "modulePath": "hello::Other", "retentionPolicyId": "private-7d-v1",
	} {
		if digest(length("12345"), with(field, value)) == want {
			t.Errorf("%s: got the same digest for another value, want another", field)
		}
	}
}

func FuzzParsePackage(f *testing.F) {
	f.Add(described(anyClass))
	f.Add(described(anyClass, with("uploadByteLength", jsonNumber("1.0e3")), with("selectedClassHash", "0x0001")))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := verify.ParsePackage(body)
		if err != nil {
			if domain.CodeOf(err) == domain.CodeInternal {
				t.Fatalf("got %v, want an error for the client", err)
			}
			return
		}
		again, err := verify.ParsePackage(p.Canonical())
		if err != nil || again != p {
			t.Fatalf("the canonical form %s gave %v and %v, want the same package", p.Canonical(), again, err)
		}
	})
}
