package verify

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"astrolabe/domain"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// packageBody is the body of a request. Go's own types would not accept every
// spelling, nor tell a missing field from an empty one.
type packageBody struct {
	SelectedClassHash string             `json:"selectedClassHash"`
	UploadDigest      string             `json:"uploadDigest"`
	UploadByteLength  strictjson.Integer `json:"uploadByteLength"`
	ToolchainPolicyID string             `json:"toolchainPolicyId"`
	PackageName       string             `json:"packageName"`
	BuildProfile      string             `json:"buildProfile"`
	TargetName        string             `json:"targetName"`
	TargetKind        string             `json:"targetKind"`
	ArtifactID        string             `json:"artifactId"`
	ModulePath        string             `json:"modulePath"`
	SourceVisibility  string             `json:"sourceVisibility"`
	RetentionPolicyID string             `json:"retentionPolicyId"`
}

// ParsePackage reads a Package V1. Text that is not JSON is invalid_request. Any
// fault of a field is invalid_verification_package, which names the field. A
// faultless package of another policy is unsupported_policy.
func ParsePackage(body []byte) (Package, error) {
	var b packageBody
	if e, ok := errors.AsType[*strictjson.Error](strictjson.Decode(body, &b)); ok {
		return Package{}, bodyError(e)
	}
	class, err := starknet.ParseFelt(b.SelectedClassHash)
	if err != nil {
		return Package{}, wrong("selectedClassHash", "a 0x-prefixed hexadecimal felt below the field prime", b.SelectedClassHash)
	}
	p := Package{
		SelectedClassHash: class, UploadDigest: b.UploadDigest, UploadByteLength: int64(b.UploadByteLength),
		ToolchainPolicyID: b.ToolchainPolicyID, PackageName: b.PackageName, BuildProfile: b.BuildProfile,
		TargetName: b.TargetName, TargetKind: b.TargetKind, ArtifactID: b.ArtifactID, ModulePath: b.ModulePath,
		SourceVisibility: b.SourceVisibility, RetentionPolicyID: b.RetentionPolicyID,
	}
	return p, cmp.Or(p.check(), p.checkRetention(), p.checkPolicy())
}

const (
	maxName = 128
	maxPath = 512
)

var (
	digestForm   = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	nameForm     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	artifactForm = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)
	pathForm     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$`)
)

// check returns the error of the first malformed field.
func (p Package) check() error {
	switch {
	case !digestForm.MatchString(p.UploadDigest):
		return wrong("uploadDigest", "sha256: followed by 64 lower-case hexadecimal digits", p.UploadDigest)
	case p.UploadByteLength < 1 || p.UploadByteLength > MaxUpload:
		return domain.Errorf(domain.CodeInvalidVerificationPackage, "%s must be from 1 to %d bytes, got %d.",
			domain.Argument("uploadByteLength"), MaxUpload, p.UploadByteLength)
	case p.BuildProfile != BuildProfile:
		return wrong("buildProfile", BuildProfile, p.BuildProfile)
	case p.TargetKind != TargetKind:
		return wrong("targetKind", TargetKind, p.TargetKind)
	case len(p.PackageName) > maxName || !nameForm.MatchString(p.PackageName):
		return wrong("packageName", "the name of a Scarb package of at most 128 characters", p.PackageName)
	case len(p.TargetName) > maxName || !nameForm.MatchString(p.TargetName):
		return wrong("targetName", "the name of a Scarb target of at most 128 characters", p.TargetName)
	case len(p.ArtifactID) > maxName || !artifactForm.MatchString(p.ArtifactID):
		return wrong("artifactId", "1 to 128 characters from A-Z a-z 0-9 _ . : -", p.ArtifactID)
	case len(p.ModulePath) > maxPath || !pathForm.MatchString(p.ModulePath):
		return wrong("modulePath", "a Cairo path of at most 512 characters, such as hello::Hello", p.ModulePath)
	case p.ToolchainPolicyID == "":
		return wrong("toolchainPolicyId", PolicyID, "")
	}
	return nil
}

func (p Package) checkRetention() error {
	policy, known := retentionOf(p.RetentionPolicyID)
	var ids []string
	for _, r := range Retentions {
		if r.Visibility == p.SourceVisibility {
			ids = append(ids, r.ID)
		}
	}
	switch {
	case len(ids) == 0:
		return wrong("sourceVisibility", Private+" or "+Public, p.SourceVisibility)
	case !known || policy.Visibility != p.SourceVisibility:
		return wrong("retentionPolicyId", strings.Join(ids, " or ")+" for "+p.SourceVisibility+" source", p.RetentionPolicyID)
	}
	return nil
}

func (p Package) checkPolicy() error {
	if p.ToolchainPolicyID != PolicyID {
		return domain.Errorf(domain.CodeUnsupportedPolicy, "%s must be %s, the only toolchain policy of this service, got %s.",
			domain.Argument("toolchainPolicyId"), PolicyID, domain.Quote(p.ToolchainPolicyID))
	}
	return nil
}

// wrong is the error of a field that is not what it must be.
func wrong(field domain.Argument, form, got string) error {
	return domain.Errorf(domain.CodeInvalidVerificationPackage, "%s must be %s, got %s.", field, form, domain.Quote(got))
}

// bodyError is the error of a body that is not an object of the 12 fields.
func bodyError(e *strictjson.Error) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(e.Path, "/"), "/")
	refuse := func(format string, args ...any) error {
		return domain.Errorf(domain.CodeInvalidVerificationPackage, format, args...)
	}
	switch e.Kind {
	case strictjson.MissingKey:
		return refuse("%s is required.", domain.Argument(name))
	case strictjson.UnknownKey, strictjson.WrongCaseKey:
		return refuse("Unknown field %s. A package has exactly these fields: %s.", domain.Quote(e.Key), strings.Join(fields, ", "))
	case strictjson.DuplicateKey:
		return refuse("The field %s is given more than once.", domain.Quote(e.Key))
	case strictjson.TypeMismatch, strictjson.NotIntegral, strictjson.NumberOutOfRange:
		if name == "" {
			return refuse("The package must be a JSON object with these fields: %s.", strings.Join(fields, ", "))
		}
		return refuse("%s is invalid: %s.", domain.Argument(name), e.Message)
	}
	return domain.Errorf(domain.CodeInvalidRequest, "The request body must be JSON: %s.", e.Message)
}

// fields are the 12 fields of a package.
var fields = []string{
	"selectedClassHash", "uploadDigest", "uploadByteLength", "toolchainPolicyId", "packageName", "buildProfile",
	"targetName", "targetKind", "artifactId", "modulePath", "sourceVisibility", "retentionPolicyId",
}
