package sandbox_test

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func forkBomb(target) error {
	for range bombProcesses {
		if _, err := forkSleeper(); err != nil {
			return err
		}
	}
	return errEscaped
}

func memoryBomb(target) error {
	block, err := unix.Mmap(-1, 0, bombMemory, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	touch(block)
	return errEscaped
}

func touch(block []byte) {
	for i := 0; i < len(block); i += os.Getpagesize() {
		block[i] = 1
	}
}

func largeFile(target) error {
	if err := os.WriteFile("/tmp/large", nil, 0o600); err != nil {
		return err
	}
	if os.Truncate("/tmp/large", bombFile) != nil {
		select {} // until the signal has ended this program
	}
	return errEscaped
}

// manyFiles fills /tmp with files that are small enough.
func manyFiles(target) error {
	block := make([]byte, attackLimits.FileSize)
	for i := range 4 {
		if err := os.WriteFile("/tmp/"+strconv.Itoa(i), block, 0o600); err != nil {
			return err
		}
	}
	return errEscaped
}

// emptyFiles fills /tmp with more files than there may be, which take no space of it.
func emptyFiles(target) error {
	for i := range 2 * attackLimits.Files {
		if err := os.Symlink("x", "/tmp/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	time.Sleep(bombTime)
	return errEscaped
}

// spin uses processor time. It is more than the limit by far, because a busy kernel measures it roughly.
func spin(until time.Duration) error {
	for {
		var used unix.Rusage
		_ = unix.Getrusage(unix.RUSAGE_SELF, &used)
		if time.Duration(used.Utime.Nano()+used.Stime.Nano()) > until {
			return errEscaped
		}
	}
}

// stubbornLoop ignores the signal of the limit.
func stubbornLoop(target) error {
	signal.Ignore(unix.SIGXCPU)
	return spin(6 * time.Second)
}

// manyLoops uses less processor time in each process than the limit, but more in all of them.
func manyLoops(target) error {
	for range 5 {
		child, err := forkSpinner()
		if err != nil {
			return err
		}
		if _, err := unix.Wait4(child, nil, 0, nil); err != nil {
			return err
		}
	}
	return errEscaped
}

func flood(file *os.File) error {
	block := bytes.Repeat([]byte("endless output\n"), 1024)
	for written := 0; written < bombOutput; {
		n, err := file.Write(block)
		if err != nil {
			return err
		}
		written += n
	}
	return errEscaped
}
