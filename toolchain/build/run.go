package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
)

// runner runs an entry point of this package in the sandbox.
type runner struct {
	box    *sandbox.Sandbox
	entry  string
	mounts []sandbox.Mount
	limits sandbox.Limits
	digest string // see request
}

// check checks that the toolchain can be used inside.
func (r *runner) check(ctx context.Context) error {
	_, err := r.run(ctx, request{Digest: r.digest}, nil)
	return err
}

// compile implements verify.Compiler.
func (r *runner) compile(ctx context.Context, archive io.Reader, p verify.Package) (*verify.Output, error) {
	content, err := io.ReadAll(io.LimitReader(archive, verify.MaxUpload+1))
	if err != nil {
		return nil, fmt.Errorf("read the source: %w", err)
	}
	if digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); digest != p.UploadDigest {
		return nil, fmt.Errorf("the source has the digest %s, but the package has %s", digest, p.UploadDigest)
	}
	return r.run(ctx, request{Digest: r.digest, Package: &p}, content)
}

func (r *runner) run(ctx context.Context, asked request, archive []byte) (*verify.Output, error) {
	line, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	result, err := r.box.Run(ctx, sandbox.Job{
		Entry: r.entry, Mounts: r.mounts, Limits: r.limits,
		Stdin: io.MultiReader(bytes.NewReader(append(line, '\n')), bytes.NewReader(archive)),
	})
	output := &verify.Output{LogTail: result.LogTail, Duration: result.Duration}
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok {
		return output, &verify.Failure{Code: verify.BuildLimitExceeded, Message: limitMessage(limit.Limit, r.limits)}
	}
	if err != nil {
		return output, fmt.Errorf("build: %w", err)
	}
	answered := len(result.Stdout) > 0
	if result.ExitCode == exitCrashed && !answered {
		return output, &verify.Failure{Code: verify.BuildFailed, Message: "The compiler crashed on this source."}
	}
	if result.ExitCode != 0 && !answered {
		return output, fmt.Errorf("build: exit code %d: %s", result.ExitCode, lastLine(result.LogTail))
	}
	a, err := parseAnswer(result.Stdout)
	if err != nil {
		return output, fmt.Errorf("build: %w", err)
	}
	if result.ExitCode != 0 && a.Failure == nil {
		return output, fmt.Errorf("build: exit code %d after a class", result.ExitCode)
	}
	if a.Failure != nil {
		return output, &verify.Failure{Code: a.Failure.Code, Message: a.Failure.Message}
	}
	output.Class = a.Class
	return output, nil
}

// exitCrashed is the exit code of a Go program that panics or runs out of stack.
const exitCrashed = 2

// limitMessage tells the owner which limit a build exceeded.
func limitMessage(name string, l sandbox.Limits) string {
	values := map[string]string{
		sandbox.LimitCPU:       fmt.Sprintf("%g s of CPU time", l.CPU.Seconds()),
		sandbox.LimitWallClock: fmt.Sprintf("%g s", l.Wall.Seconds()),
		sandbox.LimitMemory:    fmt.Sprintf("%d MiB of memory", l.Memory>>20),
		sandbox.LimitProcesses: fmt.Sprintf("%d processes", l.Processes),
		sandbox.LimitFileSize:  fmt.Sprintf("%d MiB for a file or %d MiB for all", l.FileSize>>20, l.FileSize>>19),
		sandbox.LimitFiles:     fmt.Sprintf("%d files", l.Files),
		sandbox.LimitOutput:    fmt.Sprintf("%d MiB of output", l.Output>>20),
	}
	return fmt.Sprintf("The build exceeded its limit of %s.", values[name])
}

func lastLine(log string) string {
	log = strings.TrimSpace(log)
	return log[strings.LastIndexByte(log, '\n')+1:]
}
