package sandbox

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// libraryFolders are where dynamic loaders search without configuration.
func libraryFolders() []string {
	machine := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return []string{"/lib/" + machine, "/usr/lib/" + machine, "/lib64", "/usr/lib64", "/lib", "/usr/lib"}
}

// libraries returns mounts of the loader and the libraries that an executable of the host is linked
// with; none if it is linked statically or is no ELF file. Libraries that it opens at run time, or that
// it brings in a folder of its own, are not included.
func libraries(executable string) []Mount {
	found := map[string]bool{}
	var mounts []Mount
	var add func(path string)
	add = func(path string) {
		file, err := elf.Open(path)
		if err != nil {
			return
		}
		defer func() { _ = file.Close() }()
		if loader := interpreter(file); loader != "" && !found[loader] {
			found[loader] = true
			mounts = append(mounts, Mount{loader, loader})
		}
		needed, err := file.ImportedLibraries()
		if err != nil {
			return
		}
		for _, name := range needed {
			library := findLibrary(name)
			if library == "" || found[library] {
				continue
			}
			found[library] = true
			mounts = append(mounts, Mount{library, library})
			add(library)
		}
	}
	add(executable)
	return mounts
}

// interpreter returns the path of the dynamic loader that an executable names; empty without one.
func interpreter(file *elf.File) string {
	for _, segment := range file.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, segment.Filesz)
		if _, err := segment.ReadAt(name, 0); err != nil {
			return ""
		}
		return strings.TrimRight(string(name), "\x00")
	}
	return ""
}

func findLibrary(name string) string {
	for _, folder := range libraryFolders() {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// onHost returns the path on the host of a file inside the sandbox; empty if no mount has it.
func onHost(inside string, mounts []Mount) string {
	for _, mount := range mounts {
		if relative, err := filepath.Rel(mount.Inside, inside); err == nil && filepath.IsLocal(relative) {
			return filepath.Join(mount.Host, relative)
		}
	}
	return ""
}
