// What contracts hold: nonces, storage, and the views of tokens.
import assert from 'node:assert/strict';
import { Contract } from 'starknet';

// The fee token has the same address on every chain.
export const strk = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

/** Reads the state of every contract and calls the views that tokens have. */
export async function readContracts(node, blocks, { classes, contracts }) {
  await readNonces(node, blocks);
  await readStorage(node, blocks);
  for (const [address, [classHash]] of contracts) {
    const { abi } = classes.get(classHash);
    await readToken(node, new Contract({ abi, address, providerOrAccount: node.provider }));
  }
}

async function readNonces({ provider, count }, blocks) {
  for (const { update, block_number: number } of blocks) {
    for (const { contract_address: address, nonce } of update.nonces.slice(0, 3)) {
      assert.equal(await provider.getNonceForAddress(address, number), nonce);
      count('nonces');
    }
  }
}

async function readStorage({ provider, count }, blocks) {
  for (const { update, block_number: number } of blocks) {
    for (const { address, storage_entries: entries } of update.storage_diffs.slice(0, 3)) {
      const { key, value } = entries[0];
      assert.equal((await provider.getStorageAt(address, key, number)).value, value);
      const dated = await provider.getStorageAt(address, key, number, ['INCLUDE_LAST_UPDATE_BLOCK']);
      assert.deepEqual({ ...dated }, { value, last_update_block: number });
      count('storage cells');
    }
  }
}

/** Calls the views that a contract has, if it is a token. */
async function readToken({ head, count }, contract) {
  const views = new Set(Object.keys(contract.functions));
  if (!views.has('symbol')) return;
  const call = (name, ...args) => contract.withOptions({ blockIdentifier: head }).call(name, args);
  for (const text of ['name', 'symbol']) {
    assert.notEqual(String(await call(text)), '');
    count('names and symbols of tokens');
  }
  if (views.has('decimals')) {
    const decimals = await call('decimals');
    assert.ok(decimals >= 0n && decimals <= 18n);
    count('decimals of tokens');
  }
  for (const supply of ['total_supply', 'totalSupply'].filter((name) => views.has(name))) {
    assert.equal(typeof (await call(supply)), 'bigint');
    count('supplies of tokens');
  }
  for (const balance of ['balance_of', 'balanceOf'].filter((name) => views.has(name))) {
    assert.equal(typeof (await call(balance, contract.address)), 'bigint');
    count('balances of tokens');
  }
}
