// SPDX-License-Identifier: Apache-2.0

// An account with one Stark key: it checks signatures and executes any number of calls.
#[starknet::contract(account)]
pub mod Account {
    use core::ecdsa::check_ecdsa_signature;
    use starknet::account::Call;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::call_contract_syscall;
    use starknet::{SyscallResultTrait, VALIDATED, get_caller_address, get_tx_info};

    const ISRC5: felt252 = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055;
    const ISRC6: felt252 = 0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd;

    #[storage]
    struct Storage {
        public_key: felt252,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        OwnerAdded: OwnerAdded,
        OwnerRemoved: OwnerRemoved,
    }

    #[derive(Drop, starknet::Event)]
    struct OwnerAdded {
        #[key]
        new_owner_guid: felt252,
    }

    #[derive(Drop, starknet::Event)]
    struct OwnerRemoved {
        #[key]
        removed_owner_guid: felt252,
    }

    #[constructor]
    fn constructor(ref self: ContractState, public_key: felt252) {
        self.public_key.write(public_key);
        self.emit(OwnerAdded { new_owner_guid: public_key });
    }

    #[external(v0)]
    fn __validate__(ref self: ContractState, calls: Array<Call>) -> felt252 {
        validate_transaction(@self)
    }

    #[external(v0)]
    fn __validate_declare__(self: @ContractState, class_hash: felt252) -> felt252 {
        validate_transaction(self)
    }

    #[external(v0)]
    fn __validate_deploy__(
        self: @ContractState,
        class_hash: felt252,
        contract_address_salt: felt252,
        public_key: felt252
    ) -> felt252 {
        validate_transaction(self)
    }

    #[external(v0)]
    fn __execute__(ref self: ContractState, calls: Array<Call>) -> Array<Span<felt252>> {
        assert(get_caller_address().is_zero(), 'Account: invalid caller');
        let mut results = array![];
        let mut rest = calls.span();
        while let Option::Some(call) = rest.pop_front() {
            let result = call_contract_syscall(*call.to, *call.selector, *call.calldata);
            results.append(result.unwrap_syscall());
        };
        results
    }

    #[external(v0)]
    fn is_valid_signature(
        self: @ContractState, hash: felt252, signature: Array<felt252>
    ) -> felt252 {
        if signs(self, hash, signature.span()) {
            VALIDATED
        } else {
            0
        }
    }

    #[external(v0)]
    fn isValidSignature(self: @ContractState, hash: felt252, signature: Array<felt252>) -> felt252 {
        is_valid_signature(self, hash, signature)
    }

    #[external(v0)]
    fn supports_interface(self: @ContractState, interface_id: felt252) -> bool {
        interface_id == ISRC5 || interface_id == ISRC6
    }

    #[external(v0)]
    fn get_public_key(self: @ContractState) -> felt252 {
        self.public_key.read()
    }

    #[external(v0)]
    fn set_public_key(ref self: ContractState, new_public_key: felt252) {
        assert(
            get_caller_address() == starknet::get_contract_address(), 'Account: unauthorized'
        );
        self.emit(OwnerRemoved { removed_owner_guid: self.public_key.read() });
        self.public_key.write(new_public_key);
        self.emit(OwnerAdded { new_owner_guid: new_public_key });
    }

    fn validate_transaction(self: @ContractState) -> felt252 {
        let info = get_tx_info().unbox();
        assert(signs(self, info.transaction_hash, info.signature), 'Account: invalid signature');
        VALIDATED
    }

    fn signs(self: @ContractState, hash: felt252, signature: Span<felt252>) -> bool {
        signature.len() == 2
            && check_ecdsa_signature(hash, self.public_key.read(), *signature[0], *signature[1])
    }
}
