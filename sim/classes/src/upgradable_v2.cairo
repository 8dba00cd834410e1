// SPDX-License-Identifier: Apache-2.0

// The counter's next version. Its event Bumped has the same name, and so the same selector, as
// before but other fields: only the class in force tells which layout an event has.
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
        Reset: Reset,
    }

    #[derive(Drop, starknet::Event)]
    struct Upgraded {
        class_hash: ClassHash,
    }

    #[derive(Drop, starknet::Event)]
    struct Bumped {
        #[key]
        by: ContractAddress,
        #[key]
        reason: felt252,
        before: u256,
        after: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Reset {}

    #[constructor]
    fn constructor(ref self: ContractState, owner: ContractAddress) {
        self.owner.write(owner);
    }

    #[external(v0)]
    fn version(self: @ContractState) -> felt252 {
        2
    }

    #[external(v0)]
    fn value(self: @ContractState) -> u256 {
        self.value.read().into()
    }

    #[external(v0)]
    fn bump(ref self: ContractState, by: u64, reason: felt252) {
        let before = self.value.read();
        let after = before + by;
        self.value.write(after);
        self
            .emit(
                Bumped {
                    by: get_caller_address(), reason, before: before.into(), after: after.into()
                }
            );
    }

    #[external(v0)]
    fn reset(ref self: ContractState) {
        self.value.write(0);
        self.emit(Reset {});
    }

    #[external(v0)]
    fn upgrade(ref self: ContractState, new_class_hash: ClassHash) {
        assert(get_caller_address() == self.owner.read(), 'only owner');
        assert(new_class_hash.is_non_zero(), 'class hash is zero');
        replace_class_syscall(new_class_hash).unwrap_syscall();
        self.emit(Upgraded { class_hash: new_class_hash });
    }
}
