package archive

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Pack writes the archive of a tree. The tar stream depends only on the paths,
// the contents and whether files are executable: not on users, other
// permissions, times, or the order in which the file system lists files. It
// leaves out .git, .astrolabe, .starkscan and target at the root.
//
// The gzip bytes also depend on the compressor, so another release may compress
// the same tree to other bytes.
//
// A tree that Read would not accept is an *Error; part of the archive is written
// by then.
func Pack(w io.Writer, files fs.FS) error {
	headers, err := list(files)
	if err != nil {
		return err
	}
	limited := &output{w: w}
	compressor, err := gzip.NewWriterLevel(limited, gzip.BestCompression)
	if err != nil {
		return err
	}
	tree, expanded := newTree(), int64(2*blockSize)
	for _, h := range headers {
		if err := tree.add(h); err != nil {
			return err
		}
		content, err := load(files, h)
		if err != nil {
			return err
		}
		h.size = int64(len(content))
		padded := append(content, make([]byte, -h.size&(blockSize-1))...)
		if expanded += blockSize + int64(len(padded)); expanded > MaxExpanded {
			return errExpanded()
		}
		encoded, ok := h.encode()
		if !ok {
			return rejectf("The path %q does not fit into a tar header: ustar needs a slash that leaves at most 100 bytes after it and 155 before it. Shorten it.", h.path)
		}
		if _, err := compressor.Write(append(encoded[:], padded...)); err != nil {
			return err
		}
	}
	if _, err := compressor.Write(make([]byte, 2*blockSize)); err != nil {
		return err
	}
	return compressor.Close()
}

// list returns the entries of a tree, sorted, with the sizes that they have now.
func list(files fs.FS) ([]header, error) {
	var headers []header
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case slices.Contains(excluded, path) && entry.IsDir():
			return fs.SkipDir
		case slices.Contains(excluded, path):
			return nil
		case len(headers) == MaxEntries:
			return errEntries()
		}
		if err := checkPath(path); err != nil {
			return err
		}
		h, err := describe(path, entry)
		headers = append(headers, h)
		return err
	})
	slices.SortFunc(headers, func(a, b header) int { return strings.Compare(a.path, b.path) })
	return headers, err
}

// describe returns the header of a file or directory.
func describe(path string, entry fs.DirEntry) (header, error) {
	if entry.IsDir() {
		return header{path: path, directory: true}, nil
	}
	if !entry.Type().IsRegular() {
		return header{}, rejectf("The path %q is %s; only regular files and directories are allowed. Replace it with a copy of its target, or remove it.", path, kindOf(entry.Type()))
	}
	info, err := entry.Info()
	if err != nil {
		return header{}, err
	}
	return header{path: path, executable: info.Mode()&0o111 != 0, size: info.Size()}, nil
}

// load reads a file. One that grew beyond the limit since it was listed is
// rejected.
func load(files fs.FS, h header) ([]byte, error) {
	if h.directory {
		return nil, nil
	}
	file, err := files.Open(h.path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if h.size = int64(len(content)); h.size > MaxFile {
		return nil, errFile(h)
	}
	if format := nestedFormat(content[:min(len(content), blockSize)]); format != "" {
		return nil, errNested(h.path, format)
	}
	return content, nil
}

// output bounds the compressed bytes.
type output struct {
	w     io.Writer
	count int64
}

// Write fails at the limit of an archive.
func (o *output) Write(p []byte) (int, error) {
	if o.count += int64(len(p)); o.count > MaxCompressed {
		return 0, errCompressed()
	}
	return o.w.Write(p)
}
