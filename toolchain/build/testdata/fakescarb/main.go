// Command fakescarb behaves as Scarb's documentation says, without a compiler. The
// file behave of the source tree says what goes wrong.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	behave, _ := os.ReadFile("behave")
	if err := run(strings.TrimSpace(string(behave))); err != nil {
		fmt.Println("error:", err) // Scarb writes errors to standard output
		os.Exit(1)
	}
}

func run(behave string) error {
	if want := []string{"--offline", "--release", "build", "-p", "bank"}; !slices.Equal(os.Args[1:], want) {
		return fmt.Errorf("got the arguments %q, want %q", os.Args[1:], want)
	}
	if _, err := os.Stat("Scarb.toml"); err != nil {
		return err
	}
	if c, err := net.Dial("tcp", "127.0.0.1:80"); err == nil {
		return fmt.Errorf("got a connection to %s, want no network", c.RemoteAddr())
	}
	if len(os.Environ()) != 5 || os.Getenv("PATH") != "/toolchain/bin" {
		return fmt.Errorf("got the environment %q, want five variables", os.Environ())
	}
	if err := os.WriteFile("/toolchain/x", nil, 0o600); err == nil {
		return fmt.Errorf("wrote to the toolchain, want it read-only")
	}
	fmt.Println("Compiling bank v0.1.0")
	if behave == "exit" {
		os.Exit(7)
	}
	if err := exceed(behave); err != nil {
		return err
	}
	return write(filepath.Join(os.Getenv("SCARB_TARGET_DIR"), "release"), behave)
}

// exceed uses more than the test allows.
func exceed(behave string) error {
	switch behave {
	case "memory":
		block := make([]byte, 1<<30)
		for i := 0; i < len(block); i += os.Getpagesize() {
			block[i] = 1
		}
		fmt.Println(len(block))
	case "cpu":
		for {
			_ = os.Getpid()
		}
	case "file":
		return os.WriteFile("/tmp/large", make([]byte, 80<<20), 0o600)
	case "disk":
		for i := range 4 {
			if err := os.WriteFile(fmt.Sprintf("/tmp/%d", i), make([]byte, 60<<20), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

type artefacts struct {
	Sierra *string `json:"sierra"`
	Casm   *string `json:"casm"`
}

type contract struct {
	ID           string    `json:"id"`
	PackageName  string    `json:"package_name"`
	ContractName string    `json:"contract_name"`
	ModulePath   string    `json:"module_path"`
	Artifacts    artefacts `json:"artifacts"`
}

// write writes the artifact index and the class as the release of Scarb does.
func write(dir, behave string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	class, err := os.ReadFile("class.json")
	if err != nil {
		return err
	}
	id, err := os.ReadFile("artifact")
	if err != nil {
		return err
	}
	name := "bank_Vault.contract_class.json"
	file := name
	if behave == "outside" {
		name = "../../source/class.json"
	}
	index := []contract{{strings.TrimSpace(string(id)), "bank", "Vault", "bank::contracts::vault::Vault", artefacts{Sierra: &name}}}
	switch behave {
	case "id":
		index[0].ID = "other"
	case "two":
		index = append(index, index[0])
	case "path":
		index[0].ModulePath = "bank::Other"
	case "none":
		index[0].Artifacts.Sierra = nil
	case "class":
		class = []byte("{")
	case "large":
		class = append(class, make([]byte, 65<<20)...)
	}
	text, err := json.Marshal(map[string]any{"version": 1, "contracts": index})
	if err != nil {
		return err
	}
	switch behave {
	case "index":
		return nil
	case "json":
		text = []byte("[")
	case "version":
		text = []byte(`{"version":2,"contracts":[]}`)
	}
	if err := os.WriteFile(filepath.Join(dir, "bank.starknet_artifacts.json"), text, 0o644); err != nil {
		return err
	}
	if behave == "link" {
		return os.Symlink("/tmp/source/class.json", filepath.Join(dir, file))
	}
	return os.WriteFile(filepath.Join(dir, file), class, 0o644)
}
