package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
)

// The entry point and what it sees.
const (
	scarbEntry  = "scarb"
	scarbInside = "/toolchain"
	// targetDir is where Scarb writes.
	targetDir = "/tmp/target"
)

func init() {
	sandbox.Register(scarbEntry, func() int { return inside(buildScarb) })
}

// buildScarb runs inside the sandbox, whose limits bound it.
func buildScarb(r request, archive io.Reader) (*answer, error) {
	if r.Package != nil {
		if _, err := extract(archive, sourceDir, *r.Package); err != nil {
			return refusal(err)
		}
	}
	digest, err := toolchain.FolderDigest(scarbInside)
	if err != nil {
		return nil, err
	}
	if digest != r.Digest {
		return nil, fmt.Errorf("%w: the digest is %s", ErrForeignRelease, digest)
	}
	if r.Package == nil {
		return &answer{}, nil
	}
	if failed, err := runScarb(r.Package.PackageName); err != nil || failed != nil {
		return failed, err
	}
	class, err := readArtefact(targetDir+"/"+verify.BuildProfile, *r.Package)
	if err != nil {
		return refusal(err)
	}
	return &answer{Class: class}, nil
}

// runScarb runs Scarb. Its output is the log of the build. It returns an answer
// only if Scarb failed.
func runScarb(name string) (*answer, error) {
	cmd := exec.CommandContext(context.Background(), scarbInside+"/bin/scarb", "--offline", "--release", "build", "-p", name)
	cmd.Dir = sourceDir
	cmd.Env = []string{
		"HOME=/tmp", "PATH=" + scarbInside + "/bin", "SCARB_CACHE=/tmp/cache", "SCARB_CONFIG=/tmp/config", "SCARB_TARGET_DIR=" + targetDir,
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	err := cmd.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if !failed {
		return nil, err
	}
	code := exit.ExitCode()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	message := fmt.Sprintf("Scarb could not build the package (%s). The log says why.", exit.ProcessState)
	return &answer{Failure: &failure{verify.BuildFailed, message}, exit: code}, nil
}
