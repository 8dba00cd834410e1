package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/source"
)

// sourceDir is where the tree is inside the sandbox.
const sourceDir = "/tmp/source"

// extract writes the tree of an archive into a new folder, and returns the path
// of the package's manifest in it. An archive or tree that breaks a rule is a
// *verify.Failure; the job was validated before, so that is a second look.
func extract(in io.Reader, folder string, p verify.Package) (manifest string, err error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	tree := source.NewCheck()
	err = archive.Read(in, func(f archive.File) error {
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		if f.Dir {
			return os.Mkdir(path, 0o755)
		}
		content, err := io.ReadAll(f.Content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
		f.Content = bytes.NewReader(content)
		return tree.Add(f)
	})
	if err == nil {
		err = tree.Done(p.PackageName, p.TargetName)
	}
	if broken, ok := errors.AsType[*archive.Error](err); ok {
		return "", &verify.Failure{Code: verify.FailureCode(broken.Code), Message: broken.Message}
	}
	if broken, ok := errors.AsType[*source.Error](err); ok {
		return "", &verify.Failure{Code: verify.FailureCode(broken.Code), Message: broken.Message}
	}
	if err != nil {
		return "", err
	}
	packages := tree.Packages()
	i := slices.IndexFunc(packages, func(q source.Package) bool { return q.Name == p.PackageName })
	if i < 0 {
		return "", fmt.Errorf("the tree has no package %q", p.PackageName)
	}
	return packages[i].Manifest, nil
}

// refusal turns a *verify.Failure into an answer, and returns every other error.
func refusal(err error) (*answer, error) {
	if f, ok := errors.AsType[*verify.Failure](err); ok {
		return &answer{Failure: &failure{f.Code, f.Message}}, nil
	}
	return nil, err
}
