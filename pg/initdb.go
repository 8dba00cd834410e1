package pg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const unfinishedPrefix = "cluster.unfinished-"

// makeCluster creates a cluster under a temporary name and renames it when it
// is complete and on disk, so a folder called cluster is always complete. The
// temporary name is new each time, so that processes of a killed attempt cannot
// write into this one.
func (s *Server) makeCluster(ctx context.Context, o Options) error {
	unfinished, err := os.MkdirTemp(s.folder.root, unfinishedPrefix)
	if err != nil {
		return fmt.Errorf("create the cluster folder: %w", err)
	}
	if err := s.account.own(unfinished); err != nil {
		return fmt.Errorf("change the owner of the cluster folder to %s: %w", s.account.name, err)
	}
	if err := s.runInitdb(ctx, unfinished, o); err != nil {
		return errors.Join(err, os.RemoveAll(unfinished))
	}
	if err := os.Rename(unfinished, s.folder.cluster()); err != nil {
		return fmt.Errorf("rename the new cluster: %w", err)
	}
	return syncFolder(s.folder.root)
}

func (s *Server) runInitdb(ctx context.Context, dir string, o Options) error {
	args := []string{
		"--pgdata=" + dir, "--username=" + superuser, "--encoding=UTF8", "--locale=C",
		"--data-checksums", "--auth-local=peer", "--auth-host=reject",
	}
	if o.Settings["fsync"] == "off" {
		args = append(args, "--no-sync")
	}
	cmd := s.account.command(ctx, s.binaries.initdb(), args...)
	endWithProgram(cmd.SysProcAttr, syscall.SIGKILL)
	output := &serverLog{logger: slog.New(slog.DiscardHandler)}
	cmd.Stderr = output // initdb's children hold it too, so Wait also waits for them
	cmd.WaitDelay = 5 * time.Second

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start initdb as user %s: %w", s.account.name, err)
	}
	o.step("initdb")
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("create the cluster: %w", context.Cause(ctx))
		}
		return fmt.Errorf("initdb could not create the cluster (%w)%s", err, output.reason())
	}
	return nil
}

// removeUnfinished deletes what a killed initdb left.
func (f folder) removeUnfinished(ctx context.Context) error {
	entries, err := os.ReadDir(f.root)
	if err != nil {
		return fmt.Errorf("look for an unfinished cluster: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), unfinishedPrefix) {
			continue
		}
		if err := killOrphans(ctx, f.path(entry.Name())); err != nil {
			return err
		}
		if err := os.RemoveAll(f.path(entry.Name())); err != nil {
			return fmt.Errorf("remove an unfinished cluster: %w", err)
		}
	}
	return nil
}

// syncFolder makes a rename inside the folder survive a power failure.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}
