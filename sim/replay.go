package sim

import (
	"errors"
	"math"

	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
)

// Replay returns a node that replays a recorded chain, from a file of Record or
// State. It uses BlockTime, Window, L1Lag, SpecVersion and Rendered of the
// config, and Blocks as the number of blocks after block 0 at startup: all of
// them if neither Blocks nor BlockTime is set. Mine continues the replay and
// returns chain.ErrRecordingEnded at the end; nothing else can change the
// chain.
func Replay(path string, config Config) (*Node, error) {
	documents, err := compiledClasses()
	if err != nil {
		return nil, err
	}
	return replay(path, config, documents)
}

func replay(path string, config Config, documents []contract.Document) (*Node, error) {
	recording, err := chain.OpenRecording(path)
	if err != nil {
		return nil, err
	}
	config.Chain, config.Seed = recording.About.Chain, recording.About.Seed
	config.Record, config.State = "", ""
	n, err := play(recording, config, documents)
	if err != nil {
		return nil, errors.Join(err, recording.Close())
	}
	return n, nil
}

func play(recording *chain.Recording, config Config, documents []contract.Document) (*Node, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	n, described, err := assemble(config, documents)
	if err != nil {
		return nil, err
	}
	n.recording = recording
	if n.chain, err = chain.Replay(described, recording); err != nil {
		return nil, err
	}
	n.serve()
	blocks := config.Blocks
	if blocks == 0 && config.BlockTime == 0 {
		blocks = math.MaxInt
	}
	if err := n.Mine(blocks); err != nil && !errors.Is(err, chain.ErrRecordingEnded) {
		return nil, err
	}
	return n, n.render()
}
