package build

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// artefactIndex is Scarb's <target>.starknet_artifacts.json.
type artefactIndex struct {
	Version   int `json:"version"`
	Contracts []struct {
		ID          string `json:"id"`
		PackageName string `json:"package_name"`
		ModulePath  string `json:"module_path"`
		Artefacts   struct {
			Sierra string `json:"sierra"`
		} `json:"artifacts"`
	} `json:"contracts"`
}

// Limits in bytes. A class that Scarb writes has names for debugging, which are
// left out of the answer.
const (
	maxIndex    = 1 << 20
	maxArtefact = 4 * verify.MaxClass
)

// readArtefact reads the class of a package from the folder that Scarb wrote,
// without the names for debugging. A folder that does not have exactly one such
// artifact is a *verify.Failure.
func readArtefact(dir string, p verify.Package) ([]byte, error) {
	failed := func(format string, arguments ...any) error {
		return &verify.Failure{Code: verify.BuildFailed, Message: fmt.Sprintf(format, arguments...)}
	}
	name := p.TargetName + ".starknet_artifacts.json"
	content, err := readOutput(filepath.Join(dir, name), maxIndex)
	if err != nil {
		return nil, err
	}
	var index artefactIndex
	if err := json.Unmarshal(content, &index); err != nil {
		return nil, failed("Scarb wrote a malformed %s.", name)
	}
	if index.Version != 1 {
		return nil, failed("Scarb wrote version %d of %s; only 1 is known.", index.Version, name)
	}
	var ids []string
	for _, c := range index.Contracts {
		ids = append(ids, c.ID)
	}
	i := slices.Index(ids, p.ArtifactID)
	if i < 0 {
		return nil, failed("The target %s has no contract with the artifactId %q. Its artifactIds are %q.", p.TargetName, p.ArtifactID, ids)
	}
	if slices.Contains(ids[i+1:], p.ArtifactID) {
		return nil, failed("The target %s has two contracts with the artifactId %q.", p.TargetName, p.ArtifactID)
	}
	found := index.Contracts[i]
	if found.PackageName != p.PackageName || found.ModulePath != p.ModulePath {
		return nil, failed("The artifactId %q is that of %q in the package %q, not of %s. Correct modulePath or artifactId.",
			p.ArtifactID, found.ModulePath, found.PackageName, p.ModulePath)
	}
	file := found.Artefacts.Sierra
	if file == "" || file != filepath.Base(file) || strings.HasPrefix(file, ".") {
		return nil, failed("Scarb wrote no Sierra class for %s, but %q.", p.ModulePath, file)
	}
	return readClass(filepath.Join(dir, file))
}

// readClass reads a class and leaves out what is not part of it.
func readClass(path string) ([]byte, error) {
	content, err := readOutput(path, maxArtefact)
	if err != nil {
		return nil, err
	}
	var class starknet.SierraClass
	if err := json.Unmarshal(content, &class); err != nil {
		return nil, &verify.Failure{Code: verify.BuildFailed, Message: "Scarb wrote a malformed class: " + err.Error()}
	}
	text, err := json.Marshal(class)
	if len(text) > verify.MaxClass {
		return nil, &verify.Failure{Code: verify.BuildLimitExceeded, Message: tooLarge}
	}
	return text, err
}

// readOutput reads a file that a build wrote. It follows no symbolic link and
// reads regular files only.
func readOutput(path string, limit int64) ([]byte, error) {
	name := filepath.Base(path)
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, &verify.Failure{Code: verify.BuildFailed, Message: fmt.Sprintf("Scarb did not write the file %q.", name)}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &verify.Failure{Code: verify.BuildFailed, Message: fmt.Sprintf("Scarb wrote %q, which is not a regular file.", name)}
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, &verify.Failure{Code: verify.BuildLimitExceeded, Message: fmt.Sprintf("Scarb wrote more than %d MiB to %q.", limit>>20, name)}
	}
	return content, err
}
