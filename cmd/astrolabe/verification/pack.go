package verification

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// ruleCodes documents what both commands return.
const ruleCodes = `Exit codes: 0 if the source breaks no rule, 1 if a file cannot be read or written, 2 for a usage error or a missing file, 3 if the source breaks a rule. ` +
	`The message then begins with the failure code that a job would have: archive_rejected, source_rejected, lockfile_missing, incomplete_offline_material or unsupported_toolchain.`

// Pack packs a source tree.
type Pack struct {
	Dir    string `arg:"" help:"Root of the source tree: the folder of Scarb.toml and Scarb.lock." type:"existingdir"`
	Output string `help:"Archive to write. Default: the name of the folder with .tar.gz, in the current folder." short:"o" env:"-" type:"path" placeholder:"FILE"`
	PackageSettings
}

// PackageSettings are the fields of a Package V1 that the archive does not tell.
type PackageSettings struct {
	Class      *starknet.Felt `help:"Class hash to reproduce." env:"-" placeholder:"HASH"`
	Package    string         `help:"Package that implements the contract." env:"-" placeholder:"NAME"`
	Target     string         `help:"Target of kind starknet-contract that holds the contract. Default with --class: the package." env:"-" placeholder:"NAME"`
	ArtifactID string         `help:"Id of the contract in <target>.starknet_artifacts.json." env:"-" placeholder:"ID"`
	ModulePath string         `help:"Module path of the contract in <target>.starknet_artifacts.json." env:"-" placeholder:"PATH"`
	Retention  string         `help:"How long the source is kept: private-24h-v1, private-7d-v1 or public-30d-v1." enum:"private-24h-v1,private-7d-v1,public-30d-v1" default:"private-24h-v1" env:"-"`
}

// Help returns the detailed help text.
func (Pack) Help() string {
	return `Prints the digest and the length of the archive, which a Package V1 needs; with --class, prints the whole Package V1 as JSON instead. ` +
		`The folders .git, .astrolabe, .starkscan and target at the root are left out. Owners, times, the order of files, and permissions other than execute do not change the archive. ` +
		`Upload exactly the bytes of the archive: compressed again, they have another digest.` + "\n\n" + ruleCodes
}

// Validate checks the settings before anything starts.
func (p Pack) Validate() error {
	if p.Class == nil && (p.ArtifactID != "" || p.ModulePath != "") {
		return errors.New("--artifact-id and --module-path need --class")
	}
	if p.Class != nil && (p.Package == "" || p.ArtifactID == "" || p.ModulePath == "") {
		return errors.New("--class needs --package, --artifact-id and --module-path")
	}
	return nil
}

// Run packs the tree, checks the archive and only then writes it.
func (p Pack) Run(c *Console) error {
	output, err := p.output()
	if err != nil {
		return err
	}
	packed, err := packFolder(p.Dir)
	if err != nil {
		return err
	}
	if p.Class != nil && p.Target == "" {
		p.Target = p.Package
	}
	found, err := examine(bytes.NewReader(packed), p.Package, p.Target)
	if err != nil {
		return err
	}
	var described verify.Package
	if p.Class != nil {
		if described, err = p.describe(found); err != nil {
			return err
		}
	}
	if err := wholefile.Write(output, packed); err != nil {
		return err
	}
	c.Logger.Info("packed the source tree", "file", output, "entries", found.entries, "digest", found.digest, "bytes", found.length)
	if p.Class == nil {
		fmt.Fprintf(c.Stdout, "digest %s\nlength %d\n", found.digest, found.length)
		return nil
	}
	return printJSON(c.Stdout, described)
}

// output returns the archive's path. It must not be in the tree: the next
// archive would contain it.
func (p Pack) output() (string, error) {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return "", usage(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	output := p.Output
	if output == "" {
		output = filepath.Base(dir) + ".tar.gz"
	}
	if output, err = filepath.Abs(output); err != nil {
		return "", err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(output))
	if err != nil {
		return "", usage(err)
	}
	if relative, err := filepath.Rel(dir, folder); err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", usage(fmt.Errorf("the archive %s would be inside of the packed folder; write it elsewhere with -o", output))
	}
	return output, nil
}

// describe returns the Package V1 of an archive, if a job would be created for it.
func (p PackageSettings) describe(found examined) (described verify.Package, err error) {
	visibility, _, _ := strings.Cut(p.Retention, "-")
	described = verify.Package{
		SelectedClassHash: *p.Class, UploadDigest: found.digest, UploadByteLength: found.length, ToolchainPolicyID: verify.PolicyID,
		PackageName: p.Package, BuildProfile: verify.BuildProfile, TargetName: p.Target, TargetKind: verify.TargetKind,
		ArtifactID: p.ArtifactID, ModulePath: p.ModulePath, SourceVisibility: visibility, RetentionPolicyID: p.Retention,
	}
	if _, err := verify.ParsePackage(described.Canonical()); err != nil {
		return described, usage(err)
	}
	return described, nil
}

// printJSON writes a document for people and programs.
func printJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}
