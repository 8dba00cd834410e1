// Transactions of every type and version, their receipts, and their hashes.
import assert from 'node:assert/strict';
import { hash } from 'starknet';
import { transactionHash } from './hashes.mjs';

// So many hashes of each kind are computed: this is slow in JavaScript.
const hashesOfKind = 100;

// A chain without one of these would prove too little.
const necessary = [
  'INVOKE v0', 'INVOKE v1', 'INVOKE v3', 'INVOKE v3 with proof facts', 'DECLARE v0', 'DECLARE v1', 'DECLARE v2', 'DECLARE v3', 'DEPLOY v0',
  'DEPLOY_ACCOUNT v1', 'DEPLOY_ACCOUNT v3', 'L1_HANDLER v0',
];

/** Reads every transaction and receipt one by one and computes hashes anew. */
export async function readTransactions(node, blocks) {
  const kinds = new Map();
  for (const block of blocks) {
    for (const [index, { transaction, receipt }] of block.transactions.entries()) {
      const whole = await readTransaction(node, block, index, transaction, receipt.transaction_hash);
      await readReceipt(node, block, transaction, receipt);
      const kind = `${transaction.type} v${Number(transaction.version)}${whole.proof_facts ? ' with proof facts' : ''}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (kinds.get(kind) <= hashesOfKind) checkHash(node, whole);
      node.count(`${kind} ${receipt.execution_status.toLowerCase()}`);
    }
  }
  assert.deepEqual(necessary.filter((kind) => !kinds.has(kind)), [], 'the chain is too short');
}

async function readTransaction({ provider }, block, index, expected, expectedHash) {
  const byHash = await provider.getTransactionByHash(expectedHash);
  const { transaction_hash, ...rest } = byHash;
  assert.equal(transaction_hash, expectedHash);
  assert.deepEqual(rest, expected);
  assert.deepEqual(await provider.getTransactionByBlockIdAndIndex(block.block_number, index), byHash);
  return provider.getTransactionByHash(expectedHash, { includeProofFacts: true });
}

function checkHash({ chainId, count }, transaction) {
  const { transaction_hash: expected } = transaction;
  assert.equal(BigInt(transactionHash(transaction, chainId)), BigInt(expected), `hash of ${expected}`);
  count('transaction hashes computed anew');
}

async function readReceipt(node, block, transaction, inBlock) {
  const { provider, count } = node;
  const receipt = await provider.getTransactionReceipt(inBlock.transaction_hash);
  const { block_hash, block_number, ...rest } = receipt.value;
  assert.equal(block_hash, block.block_hash);
  assert.equal(block_number, block.block_number);
  const finality = { finality_status: undefined }; // L1 acceptance moves on while we read
  assert.deepEqual({ ...rest, ...finality }, { ...inBlock, ...finality });
  assert.equal(receipt.isSuccess(), inBlock.execution_status === 'SUCCEEDED');
  assert.equal(receipt.isReverted(), inBlock.execution_status === 'REVERTED');
  assert.equal(receipt.isReverted(), typeof inBlock.revert_reason === 'string');

  const status = await provider.getTransactionStatus(inBlock.transaction_hash);
  assert.equal(status.execution_status, inBlock.execution_status);
  if (transaction.type === 'L1_HANDLER') await readMessage(node, transaction, inBlock);
  if (transaction.type === 'DEPLOY_ACCOUNT') checkAddress(transaction, inBlock);
  count('L2 to L1 messages', inBlock.messages_sent.length);
}

async function readMessage({ provider, count }, transaction, receipt) {
  const [from, ...payload] = transaction.calldata;
  const computed = hash.getL2MessageHash(from, transaction.contract_address, transaction.entry_point_selector, payload, transaction.nonce);
  assert.equal(BigInt(computed), BigInt(receipt.message_hash), receipt.transaction_hash);
  assert.equal(await provider.getL1MessageHash(receipt.transaction_hash), computed);
  count('L1 to L2 message hashes computed anew');
}

function checkAddress(transaction, receipt) {
  const { contract_address_salt: salt, class_hash: classHash, constructor_calldata: calldata } = transaction;
  assert.equal(BigInt(hash.calculateContractAddressFromHash(salt, classHash, calldata, 0)), BigInt(receipt.contract_address));
}
