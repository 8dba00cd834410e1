package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// hashes lists the hashes of a node's chain.
func hashes(t *testing.T, n *Node) []starknet.Felt {
	t.Helper()
	list := make([]starknet.Felt, n.Head().Header.BlockNumber+1)
	for number := range list {
		b, err := n.Block(uint64(number))
		if err != nil {
			t.Fatal(err)
		}
		list[number] = b.Header.BlockHash
	}
	return list
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBlocksAreTheSameHoweverTheyWereMined(t *testing.T) {
	t.Parallel()
	whole, grown := testNode(t, Config{Blocks: 60, Seed: 8}), testNode(t, Config{Blocks: 20, Seed: 8, Window: 30, State: filepath.Join(t.TempDir(), "state")})
	must(t, grown.Mine(1))
	must(t, grown.Mine(39))
	if a, b := fmt.Sprint(hashes(t, whole)), fmt.Sprint(hashes(t, grown)); a != b {
		t.Errorf("the chain that grew: got\n%s\nwant\n%s", b, a)
	}
	must(t, grown.Close())
}

// TestChainGoesOnAsIfItHadNeverStopped applies the same actions to two chains,
// one of which is closed and reopened between any two actions. Reorgs also
// replace blocks from before a reopening.
func TestChainGoesOnAsIfItHadNeverStopped(t *testing.T) {
	t.Parallel()
	config := Config{Blocks: 45, Window: 25, Seed: 4, L1Lag: 3, State: filepath.Join(t.TempDir(), "state")}
	stopped := testNode(t, config)
	config.State, config.Record = "", filepath.Join(t.TempDir(), "recording")
	steady := testNode(t, config)
	put(t, steady, fault.Fault{Kind: fault.L1Reorg})
	config.State, config.Record = stopped.config.State, ""
	acts := []func(n *Node) error{
		func(n *Node) error { return n.Mine(3) },
		func(n *Node) error { return n.Reorg(4) },
		func(n *Node) error { submit(t, n); return n.Mine(2) },
		func(n *Node) error { return n.Reorg(15) }, // the client's transactions with it
		func(n *Node) error { return n.Reorg(15) },
		func(n *Node) error { return n.Mine(20) },
	}
	for i, act := range acts {
		must(t, act(steady))
		put(t, stopped, fault.Fault{Kind: fault.L1Reorg})
		must(t, act(stopped))
		must(t, stopped.Close())
		stopped = testNode(t, config)
		if a, b := fmt.Sprint(hashes(t, steady)), fmt.Sprint(hashes(t, stopped)); a != b {
			t.Fatalf("after act %d: got the chain\n%s\nwant\n%s", i, b, a)
		}
	}
	sameAnswers(t, steady, stopped)
	if a, b := fmt.Sprint(steady.Directory()), fmt.Sprint(stopped.Directory()); a != b {
		t.Errorf("got the contracts\n%s\nwant\n%s", b, a)
	}
	for _, err := range stopped.economy.Refused() {
		t.Error(err)
	}
	must(t, errors.Join(steady.Close(), stopped.Close()))
}

// submit sends a client's transactions.
func submit(t *testing.T, n *Node) {
	t.Helper()
	c := connect(t, n)
	_, declare, _ := broadcasts(t, n)
	declare["nonce"] = mustNonce(t, n)
	sign(t, n, declare, sender(n).Key)
	var added map[string]string
	c.result(&added, "starknet_addDeclareTransaction", declare)
}

// sameAnswers compares the responses of two nodes for every block, its classes,
// the contracts that it deploys and some of its transactions.
func sameAnswers(t *testing.T, a, b *Node) {
	t.Helper()
	first, second := connect(t, a), connect(t, b)
	same := func(method, params string) {
		body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"starknet_%s","params":[%s]}`, method, params)
		x, y := first.post(body), second.post(body)
		if !bytes.Equal(x, y) || bytes.Contains(x[:min(len(x), 40)], []byte("error")) {
			t.Fatalf("%s of %s: got\n%.300s\nwant the same result as\n%.300s", method, params, y, x)
		}
	}
	for number := range a.Head().Header.BlockNumber + 1 {
		at := fmt.Sprintf(`{"block_number":%d}`, number)
		same("getBlockWithReceipts", at)
		same("getStateUpdate", at)
		block, err := a.Block(number)
		must(t, err)
		for _, class := range block.StateUpdate.StateDiff.DeclaredClasses {
			same("getClass", fmt.Sprintf("%s,%q", at, class.ClassHash))
		}
		for _, contract := range block.StateUpdate.StateDiff.DeployedContracts {
			same("getClassHashAt", fmt.Sprintf("%s,%q", at, contract.Address))
		}
		for _, transaction := range block.Transactions[:min(2, len(block.Transactions))] {
			same("getTransactionByHash", fmt.Sprintf("%q", transaction.Hash))
		}
	}
}

// TestOldClassesAreReadAsTheyWere compares a node that has dropped most of its
// state with one that has not.
func TestOldClassesAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	old := testNode(t, Config{Blocks: longBlocks, Window: 10, State: filepath.Join(t.TempDir(), "state")})
	whole := readOnly(t)
	sameAnswers(t, whole, old)
	c, reader := connect(t, old), connect(t, whole)
	replaced := 0
	for number := range uint64(longBlocks) {
		b, err := whole.Block(number)
		must(t, err)
		for _, contract := range b.StateUpdate.StateDiff.ReplacedClasses {
			for _, at := range []map[string]uint64{at(number - 1), at(number)} {
				var got, want string
				c.result(&got, "starknet_getClassHashAt", at, contract.ContractAddress)
				reader.result(&want, "starknet_getClassHashAt", at, contract.ContractAddress)
				if got != want {
					t.Errorf("after block %d: got class %s, want %s", at["block_number"], got, want)
				}
			}
			replaced++
		}
		for _, class := range b.StateUpdate.StateDiff.DeclaredClasses {
			if number == 0 {
				continue
			}
			if code := c.code("starknet_getClass", at(number-1), class.ClassHash); code != 28 {
				t.Errorf("a class before its declaration: got code %d, want 28", code)
			}
		}
	}
	if replaced == 0 {
		t.Error("got no replaced class, want some")
	}
	must(t, old.Close())
}

// TestUnfinishedWritesWereNeverMade truncates the file wherever a killed
// process could have left it within a block or a reorg: the chain before it is
// resumed and continues in the same way.
func TestUnfinishedWritesWereNeverMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	config := Config{Blocks: 20, State: path}
	n := testNode(t, config)
	size := func() int64 {
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	for _, act := range []func() error{func() error { return n.Mine(1) }, func() error { return n.Reorg(3) }} {
		before, beforeSize := fmt.Sprint(hashes(t, n)), size()
		must(t, act())
		after, afterSize := fmt.Sprint(hashes(t, n)), size()
		whole, err := os.ReadFile(path)
		must(t, err)
		step := max(1, (afterSize-beforeSize)/11)
		for cut := beforeSize + 1; cut <= afterSize; cut = min(cut+step, max(afterSize, cut+1)) {
			copied := config
			copied.State = filepath.Join(t.TempDir(), "state")
			must(t, os.WriteFile(copied.State, whole[:cut], 0o600))
			again := testNode(t, copied)
			want := before
			if cut == afterSize {
				want = after
			}
			if got := fmt.Sprint(hashes(t, again)); got != want {
				t.Errorf("cut at %d of %d–%d: got the chain\n%s\nwant\n%s", cut, beforeSize, afterSize, got, want)
			}
			must(t, again.Mine(1))
			must(t, again.Close())
			last := testNode(t, copied)
			if got := last.Head().Header.BlockNumber; got != again.Head().Header.BlockNumber {
				t.Errorf("cut at %d, after another block: got head %d, want %d", cut, got, again.Head().Header.BlockNumber)
			}
			must(t, last.Close())
		}
	}
	must(t, n.Close())
}

// acts is what the killed process does: it mines a block or, every fourth time,
// causes a reorg.
func acts(n *Node, i int) error {
	if i%4 == 3 {
		return n.Reorg(2)
	}
	return n.Mine(1)
}

// TestKilledNodeComesBack kills a process while it works and compares its chain
// with one that was built without interruption.
func TestKilledNodeComesBack(t *testing.T) {
	const variable = "ASTROLABE_TEST_STATE"
	config := Config{Blocks: 12, State: os.Getenv(variable)}
	if config.State != "" {
		n := testNode(t, config)
		for i := 0; ; i++ {
			must(t, acts(n, i))
			fmt.Println("did", i)
		}
	}
	t.Parallel()
	config.State = filepath.Join(t.TempDir(), "state")
	process := exec.Command(os.Args[0], "-test.run=^TestKilledNodeComesBack$") //nolint:gosec // It is this program.
	process.Env = append(os.Environ(), variable+"="+config.State)
	output, err := process.StdoutPipe()
	must(t, err)
	must(t, process.Start())
	did := 0
	for lines := bufio.NewScanner(output); lines.Scan(); did++ {
		if did == 30 {
			must(t, process.Process.Kill())
		}
	}
	if err := process.Wait(); err == nil || did < 30 {
		t.Fatalf("got %d acts and %v, want at least 30 and the process killed", did, err)
	}
	n := testNode(t, config)
	left := n.Head().Header.BlockHash
	reference := testNode(t, Config{Blocks: 12})
	for i := range did {
		must(t, acts(reference, i))
	}
	if reference.Head().Header.BlockHash != left {
		must(t, acts(reference, did)) // what it did not report before it was killed
	}
	if want := reference.Head().Header.BlockHash; left != want {
		t.Errorf("after %d acts: got head %s, want %s", did, left, want)
	}
	must(t, n.Close())
}

func TestStateOfAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	must(t, testNode(t, Config{Blocks: 3, State: path}).Close())
	before, err := os.ReadFile(path)
	must(t, err)
	for what, config := range map[string]Config{
		"seed":                {Seed: 1},
		"chain":               {Chain: "SN_SEPOLIA"},
		"time of block 0":     {Genesis: time.Unix(1, 0)},
		"time between blocks": {BlockTime: time.Minute},
		"profile":             {Profile: Bulk(50)},
	} {
		config.State = path
		_, err := newNode(config, testDocuments(t))
		if mismatch, ok := errors.AsType[*MismatchError](err); !ok || mismatch.What != what || mismatch.Path != path {
			t.Errorf("another %s: got %v, want a mismatch of it in %s", what, err, path)
		}
	}
	if err := compare(path, chain.About{}, chain.About{Classes: starknet.FeltFromUint64(1)}); err == nil {
		t.Error("another set of classes: got no error, want a mismatch")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file afterwards: got other bytes (%d), %v, want the %d as before", len(after), err, len(before))
	}
}

func TestDamagedStateIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	must(t, testNode(t, Config{Blocks: 3, State: path}).Close())
	whole, err := os.ReadFile(path)
	must(t, err)
	line := bytes.IndexByte(whole, '\n')
	for _, at := range []int{2, line + 2, line + 15, line + 100, len(whole) - 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		must(t, os.WriteFile(path, damaged, 0o600))
		if _, err := newNode(Config{State: path, Predeployed: 1}, testDocuments(t)); !errors.Is(err, chain.ErrNotARecording) {
			t.Errorf("a file that is damaged at byte %d: got %v, want %v", at, err, chain.ErrNotARecording)
		}
	}
}

func TestAStateFileTellsWhenItsChainBegan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	if began, found, err := Began(path); !began.IsZero() || found || err != nil {
		t.Errorf("without a file: got %s, %t and %v, want no chain", began, found, err)
	}
	genesis := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	n := testNode(t, Config{Blocks: 2, Genesis: genesis, State: path})
	must(t, n.Close())
	if began, found, err := Began(path); !began.Equal(genesis) || !found || err != nil {
		t.Errorf("got %s, %t and %v, want %s", began, found, err, genesis)
	}
	must(t, os.WriteFile(path, []byte("not a chain"), 0o600))
	if _, _, err := Began(path); err == nil {
		t.Error("a file without a chain: got no error, want one")
	}
}

// TestBlocksHaveTheTimeAtWhichTheyAreAdded compares the block that follows an old
// one with and without the clock. A block is never older than the one before it.
func TestBlocksHaveTheTimeAtWhichTheyAreAdded(t *testing.T) {
	t.Parallel()
	genesis := time.Now().Add(-time.Hour)
	without, with := testNode(t, Config{Blocks: 2, Genesis: genesis}), testNode(t, Config{Blocks: 2, Genesis: genesis, Clock: true})
	before := time.Now().Unix()
	must(t, without.tick())
	must(t, with.tick())
	if got := int64(with.Head().Header.Timestamp); got < before || got > time.Now().Unix() {
		t.Errorf("with the clock: got a block at %d, want one from %d to now", got, before)
	}
	if got := int64(without.Head().Header.Timestamp); got >= before {
		t.Errorf("without the clock: got a block at %d, want it soon after the one before", got)
	}
	ahead := testNode(t, Config{Blocks: 2, Genesis: time.Now().Add(time.Hour), Clock: true})
	last := ahead.Head().Header.Timestamp
	must(t, ahead.tick())
	if got := ahead.Head().Header.Timestamp; got < last {
		t.Errorf("a chain ahead of the clock: got a block at %d after one at %d, want none that is older", got, last)
	}
}
