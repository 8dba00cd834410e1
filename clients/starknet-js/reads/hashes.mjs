// Transaction hashes by starknet.js' formulas.
import { hash, stark, v2hash } from 'starknet';

const invoke = '0x696e766f6b65'; // "invoke"
const declare = '0x6465636c617265'; // "declare"
const deploy = '0x6465706c6f79'; // "deploy"

/** Computes the hash of a transaction as the node gave it. */
export function transactionHash(t, chainId) {
  switch (`${t.type} ${Number(t.version)}`) {
    case 'INVOKE 0':
      return v2hash.calculateTransactionHashCommon(
        invoke, t.version, t.contract_address, t.entry_point_selector, t.calldata, t.max_fee, chainId);
    case 'INVOKE 1':
      return v2hash.calculateTransactionHash(t.sender_address, t.version, t.calldata, t.max_fee, chainId, t.nonce);
    case 'INVOKE 3':
      return hash.calculateInvokeTransactionHash({
        ...common(t, chainId), senderAddress: t.sender_address, compiledCalldata: t.calldata,
        accountDeploymentData: t.account_deployment_data, proofFacts: t.proof_facts,
      });
    case 'DEPLOY_ACCOUNT 1':
      return v2hash.calculateDeployAccountTransactionHash(
        deployedAddress(t), t.class_hash, t.constructor_calldata, t.contract_address_salt, t.version, t.max_fee, chainId, t.nonce);
    case 'DEPLOY_ACCOUNT 3':
      return hash.calculateDeployAccountTransactionHash({
        ...common(t, chainId), contractAddress: deployedAddress(t), classHash: t.class_hash,
        compiledConstructorCalldata: t.constructor_calldata, salt: t.contract_address_salt,
      });
    case 'DEPLOY 0':
      return v2hash.calculateTransactionHashCommon(
        deploy, t.version, deployedAddress(t), hash.getSelectorFromName('constructor'), t.constructor_calldata, 0, chainId);
    case 'DECLARE 0':
      return v2hash.calculateTransactionHashCommon(declare, t.version, t.sender_address, 0, [], t.max_fee, chainId, [t.class_hash]);
    case 'DECLARE 1':
    case 'DECLARE 2':
      return v2hash.calculateDeclareTransactionHash(
        t.class_hash, t.sender_address, t.version, t.max_fee, chainId, t.nonce, t.compiled_class_hash);
    case 'DECLARE 3':
      return hash.calculateDeclareTransactionHash({
        ...common(t, chainId), classHash: t.class_hash, compiledClassHash: t.compiled_class_hash,
        senderAddress: t.sender_address, accountDeploymentData: t.account_deployment_data,
      });
    case 'L1_HANDLER 0':
      return v2hash.calculateL2MessageTxHash(
        t.calldata[0], t.contract_address, t.entry_point_selector, t.calldata.slice(1), chainId, t.nonce);
    default:
      throw new Error(`starknet.js has no hash for ${t.type} of version ${t.version}`);
  }
}

function deployedAddress(t) {
  return hash.calculateContractAddressFromHash(t.contract_address_salt, t.class_hash, t.constructor_calldata, 0);
}

/** What all transactions of version 3 have, as starknet.js wants it. */
function common(t, chainId) {
  const bounds = Object.entries(t.resource_bounds).map(([resource, bound]) => [
    resource, { max_amount: BigInt(bound.max_amount), max_price_per_unit: BigInt(bound.max_price_per_unit) },
  ]);
  return {
    version: t.version, chainId, nonce: t.nonce, tip: BigInt(t.tip), paymasterData: t.paymaster_data,
    resourceBounds: Object.fromEntries(bounds),
    nonceDataAvailabilityMode: stark.intDAM(t.nonce_data_availability_mode),
    feeDataAvailabilityMode: stark.intDAM(t.fee_data_availability_mode),
  };
}
