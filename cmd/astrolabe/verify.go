package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/source"
	"astrolabe/starknet"
)

// verifyCommand prepares verification jobs, which needs no database and no
// network, and manages the keys that sign receipts.
type verifyCommand struct {
	Pack      verifyPack      `cmd:"" help:"Pack a source tree into a deterministic archive, if it breaks no rule."`
	Check     verifyCheck     `cmd:"" help:"Check a source archive, or a source tree, against every rule."`
	Keys      verifyKeys      `cmd:"" help:"List, retire and revoke the keys that sign receipts."`
	TrustRoot verifyTrustRoot `cmd:"" help:"Print the trust root: the public keys that sign receipts."`
}

// exitCodes documents what both commands return.
const exitCodes = `Exit codes: 0 if the source breaks no rule, 1 if a file cannot be read or written, 2 for a usage error or a missing file, 3 if the source breaks a rule. ` +
	`The message then begins with the failure code that a job would have: archive_rejected, source_rejected, lockfile_missing, incomplete_offline_material or unsupported_toolchain.`

type verifyPack struct {
	Dir    string `arg:"" help:"Root of the source tree: the folder of Scarb.toml and Scarb.lock." type:"existingdir"`
	Output string `help:"Archive to write. Default: the name of the folder with .tar.gz, in the current folder." short:"o" env:"-" type:"path" placeholder:"FILE"`
	packageSettings
}

// packageSettings are the fields of a Package V1 that the archive does not tell.
type packageSettings struct {
	Class      *starknet.Felt `help:"Class hash to reproduce. With it, stdout is the Package V1 that creates the job." env:"-" placeholder:"HASH"`
	Package    string         `help:"Package that implements the contract." env:"-" placeholder:"NAME"`
	Target     string         `help:"Target of kind starknet-contract that holds the contract. Default with --class: the package." env:"-" placeholder:"NAME"`
	ArtifactID string         `help:"Id of the contract in <target>.starknet_artifacts.json." env:"-" placeholder:"ID"`
	ModulePath string         `help:"Module path of the contract in <target>.starknet_artifacts.json." env:"-" placeholder:"PATH"`
	Retention  string         `help:"How long the source is kept: private-24h-v1, private-7d-v1 or public-30d-v1." enum:"private-24h-v1,private-7d-v1,public-30d-v1" default:"private-24h-v1" env:"-"`
}

// Help returns the detailed help text.
func (verifyPack) Help() string {
	return `Prints the digest and the length of the archive, which a Package V1 needs; with --class, prints the whole Package V1 as JSON instead. ` +
		`The folders .git, .astrolabe, .starkscan and target at the root are left out. Users, times, the order of files, and permissions other than to execute do not change the archive. ` +
		`Upload exactly the bytes of the archive: compressed again, they have another digest.` + "\n\n" + exitCodes
}

// Validate checks the settings before anything starts.
func (p verifyPack) Validate() error {
	if p.Class == nil && (p.ArtifactID != "" || p.ModulePath != "") {
		return errors.New("--artifact-id and --module-path need --class")
	}
	if p.Class != nil && (p.Package == "" || p.ArtifactID == "" || p.ModulePath == "") {
		return errors.New("--class needs --package, --artifact-id and --module-path")
	}
	return nil
}

// Run packs the tree, checks the archive and only then writes it.
func (p verifyPack) Run(c *console) error {
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
	if err := writeWhole(output, packed); err != nil {
		return err
	}
	c.logger.Info("packed the source tree", "file", output, "entries", found.entries, "digest", found.digest, "bytes", found.length)
	if p.Class == nil {
		fmt.Fprintf(c.stdout, "digest %s\nlength %d\n", found.digest, found.length)
		return nil
	}
	return printJSON(c.stdout, described)
}

// output returns the archive's path. It must not be in the tree: the next
// archive would contain it.
func (p verifyPack) output() (string, error) {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return "", usageError{err}
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
		return "", usageError{err}
	}
	if relative, err := filepath.Rel(dir, folder); err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", usageError{fmt.Errorf("the archive %s would be inside of the packed folder; write it elsewhere with -o", output)}
	}
	return output, nil
}

// describe returns the Package V1 of an archive, if a job would be created for it.
func (p packageSettings) describe(found examined) (described verify.Package, err error) {
	visibility, _, _ := strings.Cut(p.Retention, "-")
	described = verify.Package{
		SelectedClassHash: *p.Class, UploadDigest: found.digest, UploadByteLength: found.length, ToolchainPolicyID: verify.PolicyID,
		PackageName: p.Package, BuildProfile: verify.BuildProfile, TargetName: p.Target, TargetKind: verify.TargetKind,
		ArtifactID: p.ArtifactID, ModulePath: p.ModulePath, SourceVisibility: visibility, RetentionPolicyID: p.Retention,
	}
	if _, err := verify.ParsePackage(described.Canonical()); err != nil {
		return described, usageError{err}
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

type verifyCheck struct {
	Path    string `arg:"" help:"Archive, or root of a source tree, which is packed in memory." type:"path"`
	Package string `help:"Also check that the tree has this package." env:"-" placeholder:"NAME"`
	Target  string `help:"Also check that the tree has this target of kind starknet-contract." env:"-" placeholder:"NAME"`
}

// Help returns the detailed help text.
func (verifyCheck) Help() string {
	return `Prints the digest and the length of the archive, and the packages that the build uses with their targets. ` +
		`A job applies the same rules to an upload.` + "\n\n" + exitCodes
}

// Run checks the source and prints what it found.
func (v verifyCheck) Run(c *console) error {
	info, err := os.Stat(v.Path)
	if err != nil {
		return usageError{err}
	}
	var found examined
	if info.IsDir() {
		packed, failure := packFolder(v.Path)
		if failure != nil {
			return failure
		}
		found, err = examine(bytes.NewReader(packed), v.Package, v.Target)
	} else {
		found, err = examineFile(v.Path, v.Package, v.Target)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "digest %s\nlength %d\nentries %d\n", found.digest, found.length, found.entries)
	for _, p := range found.packages {
		fmt.Fprintf(c.stdout, "package %q %q  targets %q\n", p.Name, p.Version, p.Targets)
	}
	return nil
}

// packFolder returns the archive of a folder.
func packFolder(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usageError{err}
	}
	var packed bytes.Buffer
	err = archive.Pack(&packed, root.FS())
	return packed.Bytes(), errors.Join(rejection(err), root.Close())
}

// examined is what is known of a source that breaks no rule.
type examined struct {
	digest   string
	length   int64
	entries  int
	packages []source.Package
}

// examine applies every rule to an archive. An empty package or target is not
// checked.
func examine(r io.Reader, pkg, target string) (examined, error) {
	var found examined
	hash, check := sha256.New(), source.NewCheck()
	counted := &countingReader{r: io.TeeReader(r, hash)}
	err := archive.Read(counted, func(f archive.File) error {
		found.entries++
		return check.Add(f)
	})
	if err == nil {
		err = check.Done(pkg, target)
	}
	if err != nil {
		return examined{}, rejection(err)
	}
	found.digest, found.length, found.packages = fmt.Sprintf("sha256:%x", hash.Sum(nil)), counted.count, check.Packages()
	return found, nil
}

func examineFile(path, pkg, target string) (examined, error) {
	file, err := os.Open(path)
	if err != nil {
		return examined{}, err
	}
	found, err := examine(file, pkg, target)
	return found, errors.Join(err, file.Close())
}

// countingReader counts what is read.
type countingReader struct {
	r     io.Reader
	count int64
}

// Read reads and counts.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count += int64(n)
	return n, err
}

// rejectedError is a broken rule, with the failure code that a job would have, or
// a refused receipt with its reason.
type rejectedError struct{ error }

// Unwrap returns the underlying error.
func (e rejectedError) Unwrap() error { return e.error }

// rejection tells broken rules from other errors.
func rejection(err error) error {
	if rejected, ok := errors.AsType[*archive.Error](err); ok {
		return rejectedError{rejected}
	}
	if rejected, ok := errors.AsType[*source.Error](err); ok {
		return rejectedError{rejected}
	}
	return err
}
