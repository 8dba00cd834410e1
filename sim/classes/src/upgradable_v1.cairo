// SPDX-License-Identifier: Apache-2.0

// A counter whose class can be replaced.
#[starknet::contract]
pub mod Upgradable {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::replace_class_syscall;
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait, get_caller_address};

    #[storage]
    struct Storage {
        owner: ContractAddress,
        value: u64,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Upgraded: Upgraded,
        Bumped: Bumped,
    }

    #[derive(Drop, starknet::Event)]
    struct Upgraded {
        class_hash: ClassHash,
    }

    #[derive(Drop, starknet::Event)]
    struct Bumped {
        #[key]
        by: ContractAddress,
        value: u64,
    }

    #[constructor]
    fn constructor(ref self: ContractState, owner: ContractAddress) {
        self.owner.write(owner);
    }

    #[external(v0)]
    fn version(self: @ContractState) -> felt252 {
        1
    }

    #[external(v0)]
    fn value(self: @ContractState) -> u64 {
        self.value.read()
    }

    #[external(v0)]
    fn bump(ref self: ContractState) {
        let value = self.value.read() + 1;
        self.value.write(value);
        self.emit(Bumped { by: get_caller_address(), value });
    }

    #[external(v0)]
    fn upgrade(ref self: ContractState, new_class_hash: ClassHash) {
        assert(get_caller_address() == self.owner.read(), 'only owner');
        assert(new_class_hash.is_non_zero(), 'class hash is zero');
        replace_class_syscall(new_class_hash).unwrap_syscall();
        self.emit(Upgraded { class_hash: new_class_hash });
    }
}
