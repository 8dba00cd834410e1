// Classes and the contracts that have them.
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { hash } from 'starknet';

/** Reads every declared class; returns them by hash, and the hashes of each contract, newest first. */
export async function readClasses({ provider, head, count }, blocks) {
  const classes = new Map();
  for (const { update, block_number: number } of blocks) {
    for (const { class_hash: classHash, compiled_class_hash: compiled } of update.declared_classes) {
      assert.match(compiled, /^0x/);
      const sierra = await provider.getClass(classHash, number);
      assert.equal(hash.computeContractClassHash(sierra), classHash);
      assert.deepEqual(selectors(await provider.getCompiledCasm(classHash)), selectors(sierra));
      assert.equal(await provider.isClassDeclared({ classHash }, head), true);
      classes.set(classHash, sierra);
      count('Sierra class hashes computed anew');
    }
  }
  for (const { update, block_number: number } of blocks) {
    for (const classHash of update.deprecated_declared_classes) {
      const cairo0 = await provider.getClass(classHash, number);
      const program = JSON.parse(gunzipSync(Buffer.from(cairo0.program, 'base64')));
      assert.equal(hash.computeContractClassHash({ ...cairo0, program }), classHash);
      classes.set(classHash, cairo0);
      count('Cairo 0 class hashes computed anew');
    }
  }
  const contracts = new Map();
  for (const { update, block_number: number } of blocks) {
    for (const { address, class_hash: classHash } of [...update.deployed_contracts, ...update.replaced_classes.map(renamed)]) {
      assert.equal(await provider.getClassHashAt(address, number), classHash);
      assert.deepEqual(await provider.getClassAt(address, number), classes.get(classHash));
      contracts.set(address, [classHash, ...(contracts.get(address) ?? [])]);
      count('classes of deployed and upgraded contracts');
    }
  }
  assert.equal((await provider.getContractVersion(contracts.keys().next().value)).cairo, '1');
  return { classes, contracts };
}

const selectors = (contractClass) => contractClass.entry_points_by_type.EXTERNAL.map(({ selector }) => selector);
const renamed = ({ contract_address: address, class_hash }) => ({ address, class_hash });
