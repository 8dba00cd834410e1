// SPDX-License-Identifier: Apache-2.0
use starknet::{ClassHash, ContractAddress};

// A user's private viewing key, encrypted for the auditor.
#[derive(Copy, Drop, Serde)]
pub struct EncPrivateKey {
    pub auditor_public_key: felt252,
    pub ephemeral_pubkey: felt252,
    pub enc_private_key: felt252,
}

// A user's address, encrypted for the auditor.
#[derive(Copy, Drop, Serde)]
pub struct EncUserAddr {
    pub auditor_public_key: felt252,
    pub ephemeral_pubkey: felt252,
    pub enc_user_addr: felt252,
}

#[derive(Copy, Drop, Serde)]
pub struct WriteOnceInput {
    pub storage_address: felt252,
    pub value: Span<felt252>,
}

#[derive(Copy, Drop, Serde)]
pub struct AppendInput {
    pub map_key: felt252,
    pub value: Span<felt252>,
}

#[derive(Copy, Drop, Serde)]
pub struct TransferFromInput {
    pub from_addr: ContractAddress,
    pub token: ContractAddress,
    pub amount: u128,
}

#[derive(Copy, Drop, Serde)]
pub struct TransferToInput {
    pub to_addr: ContractAddress,
    pub token: ContractAddress,
    pub amount: u128,
}

#[derive(Copy, Drop, Serde)]
pub struct InvokeInput {
    pub contract_address: ContractAddress,
    pub calldata: Span<felt252>,
}

// What a proven transaction does to the pool. The order of the variants is part of the calldata.
#[derive(Copy, Drop, Serde)]
pub enum ServerAction {
    WriteOnce: WriteOnceInput,
    Append: AppendInput,
    TransferFrom: TransferFromInput,
    TransferTo: TransferToInput,
    EmitViewingKeySet: events::ViewingKeySet,
    EmitWithdrawal: events::Withdrawal,
    EmitDeposit: events::Deposit,
    EmitOpenNoteCreated: events::OpenNoteCreated,
    EmitEncNoteCreated: events::EncNoteCreated,
    EmitNoteUsed: events::NoteUsed,
    Invoke: InvokeInput,
    InvokeWithComputation: InvokeInput,
}

pub mod events {
    use starknet::ContractAddress;
    use super::{EncPrivateKey, EncUserAddr};

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct ViewingKeySet {
        #[key]
        pub user_addr: ContractAddress,
        #[key]
        pub public_key: felt252,
        pub enc_private_key: EncPrivateKey,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct Deposit {
        #[key]
        pub user_addr: ContractAddress,
        #[key]
        pub token: ContractAddress,
        pub amount: u128,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct Withdrawal {
        pub enc_user_addr: EncUserAddr,
        #[key]
        pub to_addr: ContractAddress,
        #[key]
        pub token: ContractAddress,
        pub amount: u128,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct OpenNoteCreated {
        pub enc_recipient_addr: EncUserAddr,
        #[key]
        pub token: ContractAddress,
        #[key]
        pub note_id: felt252,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct OpenNoteDeposited {
        #[key]
        pub depositor: ContractAddress,
        #[key]
        pub token: ContractAddress,
        #[key]
        pub note_id: felt252,
        pub amount: u128,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct EncNoteCreated {
        #[key]
        pub note_id: felt252,
        pub packed_value: felt252,
    }

    #[derive(Copy, Drop, Serde, starknet::Event)]
    pub struct NoteUsed {
        #[key]
        pub nullifier: felt252,
    }

    #[derive(Copy, Drop, starknet::Event)]
    pub struct AuditorPublicKeySet {
        pub auditor_public_key: felt252,
    }

    #[derive(Copy, Drop, starknet::Event)]
    pub struct FeeAmountSet {
        pub fee_amount: u128,
    }

    #[derive(Copy, Drop, starknet::Event)]
    pub struct FeeCollectorSet {
        pub fee_collector: ContractAddress,
    }

    #[derive(Copy, Drop, starknet::Event)]
    pub struct ProofValidityBlocksSet {
        pub proof_validity_blocks: u64,
    }
}

#[starknet::interface]
pub trait IToken<TState> {
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool;
}

#[starknet::interface]
pub trait IServer<TState> {
    fn apply_actions(ref self: TState, actions: Span<ServerAction>);
}

#[starknet::interface]
pub trait IOpenNotes<TState> {
    fn deposit_to_open_note(
        ref self: TState, note_id: felt252, token: ContractAddress, amount: u128
    );
}

#[starknet::interface]
pub trait IViews<TState> {
    fn get_fee_amount(self: @TState) -> u128;
    fn get_fee_collector(self: @TState) -> ContractAddress;
    fn get_auditor_public_key(self: @TState) -> felt252;
    fn get_proof_validity_blocks(self: @TState) -> u64;
    fn get_note(self: @TState, note_id: felt252) -> (felt252, ContractAddress);
    fn nullifier_exists(self: @TState, nullifier: felt252) -> bool;
}

#[starknet::interface]
pub trait IAdmin<TState> {
    fn set_fee_amount(ref self: TState, fee_amount: u128);
    fn set_fee_collector(ref self: TState, fee_collector: ContractAddress);
    fn set_auditor_public_key(ref self: TState, auditor_public_key: felt252);
    fn set_proof_validity_blocks(ref self: TState, proof_validity_blocks: u64);
}

#[starknet::interface]
pub trait IPausable<TState> {
    fn is_paused(self: @TState) -> bool;
    fn pause(ref self: TState);
    fn unpause(ref self: TState);
}

#[starknet::component]
pub mod PausableComponent {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        paused: bool,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    pub enum Event {
        Paused: Paused,
        Unpaused: Unpaused,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Paused {
        pub account: ContractAddress,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Unpaused {
        pub account: ContractAddress,
    }

    #[embeddable_as(PausableImpl)]
    impl Pausable<
        TContractState, +HasComponent<TContractState>
    > of super::IPausable<ComponentState<TContractState>> {
        fn is_paused(self: @ComponentState<TContractState>) -> bool {
            self.paused.read()
        }

        fn pause(ref self: ComponentState<TContractState>) {
            self.paused.write(true);
            self.emit(Paused { account: get_caller_address() });
        }

        fn unpause(ref self: ComponentState<TContractState>) {
            self.paused.write(false);
            self.emit(Unpaused { account: get_caller_address() });
        }
    }
}

#[derive(Copy, Drop, Serde)]
pub struct EICData {
    pub eic_hash: ClassHash,
    pub eic_init_data: Span<felt252>,
}

// A class that may replace the present one.
#[derive(Copy, Drop, Serde)]
pub struct ImplementationData {
    pub impl_hash: ClassHash,
    pub eic_data: Option<EICData>,
    pub final: bool,
}

#[starknet::interface]
pub trait IReplaceable<TState> {
    fn add_new_implementation(ref self: TState, implementation_data: ImplementationData);
    fn remove_implementation(ref self: TState, implementation_data: ImplementationData);
    fn replace_to(ref self: TState, implementation_data: ImplementationData);
}

#[starknet::component]
pub mod ReplaceabilityComponent {
    use starknet::storage::{Map, StorageMapReadAccess, StorageMapWriteAccess};
    use starknet::syscalls::replace_class_syscall;
    use starknet::{ClassHash, SyscallResultTrait};
    use super::ImplementationData;

    #[storage]
    struct Storage {
        added: Map<ClassHash, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    pub enum Event {
        ImplementationAdded: ImplementationAdded,
        ImplementationRemoved: ImplementationRemoved,
        ImplementationReplaced: ImplementationReplaced,
        ImplementationFinalized: ImplementationFinalized,
    }

    #[derive(Drop, starknet::Event)]
    pub struct ImplementationAdded {
        pub implementation_data: ImplementationData,
    }

    #[derive(Drop, starknet::Event)]
    pub struct ImplementationRemoved {
        pub implementation_data: ImplementationData,
    }

    #[derive(Drop, starknet::Event)]
    pub struct ImplementationReplaced {
        pub implementation_data: ImplementationData,
    }

    #[derive(Drop, starknet::Event)]
    pub struct ImplementationFinalized {
        pub impl_hash: ClassHash,
    }

    #[embeddable_as(ReplaceableImpl)]
    impl Replaceable<
        TContractState, +HasComponent<TContractState>
    > of super::IReplaceable<ComponentState<TContractState>> {
        fn add_new_implementation(
            ref self: ComponentState<TContractState>, implementation_data: ImplementationData
        ) {
            self.added.write(implementation_data.impl_hash, true);
            self.emit(ImplementationAdded { implementation_data });
        }

        fn remove_implementation(
            ref self: ComponentState<TContractState>, implementation_data: ImplementationData
        ) {
            self.added.write(implementation_data.impl_hash, false);
            self.emit(ImplementationRemoved { implementation_data });
        }

        fn replace_to(
            ref self: ComponentState<TContractState>, implementation_data: ImplementationData
        ) {
            let impl_hash = implementation_data.impl_hash;
            assert(self.added.read(impl_hash), 'UNKNOWN_IMPLEMENTATION');
            replace_class_syscall(impl_hash).unwrap_syscall();
            self.emit(ImplementationReplaced { implementation_data });
            if implementation_data.final {
                self.emit(ImplementationFinalized { impl_hash });
            }
        }
    }
}

// The pool's first version. It has the events and the entry points of a privacy pool and moves
// the tokens, but checks no proofs and encrypts nothing.
#[starknet::contract]
pub mod Privacy {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::call_contract_syscall;
    use starknet::{
        ContractAddress, SyscallResultTrait, get_caller_address, get_contract_address
    };
    use super::{
        ITokenDispatcher, ITokenDispatcherTrait, PausableComponent, ReplaceabilityComponent,
        ServerAction, events
    };

    component!(path: PausableComponent, storage: pausable, event: PausableEvent);
    component!(path: ReplaceabilityComponent, storage: replaceability, event: ReplaceabilityEvent);

    #[abi(embed_v0)]
    impl PausableImpl = PausableComponent::PausableImpl<ContractState>;
    #[abi(embed_v0)]
    impl ReplaceableImpl = ReplaceabilityComponent::ReplaceableImpl<ContractState>;

    #[storage]
    struct Storage {
        #[substorage(v0)]
        pausable: PausableComponent::Storage,
        #[substorage(v0)]
        replaceability: ReplaceabilityComponent::Storage,
        governance_admin: ContractAddress,
        fee_token: ContractAddress,
        fee_amount: u128,
        fee_collector: ContractAddress,
        auditor_public_key: felt252,
        proof_validity_blocks: u64,
        notes: Map<felt252, (felt252, ContractAddress)>,
        nullifiers: Map<felt252, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        #[flat]
        PausableEvent: PausableComponent::Event,
        #[flat]
        ReplaceabilityEvent: ReplaceabilityComponent::Event,
        ViewingKeySet: events::ViewingKeySet,
        Deposit: events::Deposit,
        Withdrawal: events::Withdrawal,
        OpenNoteCreated: events::OpenNoteCreated,
        OpenNoteDeposited: events::OpenNoteDeposited,
        EncNoteCreated: events::EncNoteCreated,
        NoteUsed: events::NoteUsed,
        AuditorPublicKeySet: events::AuditorPublicKeySet,
        FeeAmountSet: events::FeeAmountSet,
        FeeCollectorSet: events::FeeCollectorSet,
        ProofValidityBlocksSet: events::ProofValidityBlocksSet,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        governance_admin: ContractAddress,
        fee_token: ContractAddress,
        auditor_public_key: felt252,
        proof_validity_blocks: u64
    ) {
        self.governance_admin.write(governance_admin);
        self.fee_token.write(fee_token);
        self.auditor_public_key.write(auditor_public_key);
        self.proof_validity_blocks.write(proof_validity_blocks);
        self.emit(events::AuditorPublicKeySet { auditor_public_key });
        self.emit(events::ProofValidityBlocksSet { proof_validity_blocks });
    }

    #[abi(embed_v0)]
    impl ServerImpl of super::IServer<ContractState> {
        fn apply_actions(ref self: ContractState, actions: Span<ServerAction>) {
            assert(!self.pausable.paused.read(), 'PAUSED');
            collect_fee(@self);
            let mut rest = actions;
            while let Option::Some(action) = rest.pop_front() {
                apply(ref self, *action);
            };
        }
    }

    #[abi(embed_v0)]
    impl OpenNotesImpl of super::IOpenNotes<ContractState> {
        fn deposit_to_open_note(
            ref self: ContractState, note_id: felt252, token: ContractAddress, amount: u128
        ) {
            let depositor = get_caller_address();
            let (packed_value, note_token) = self.notes.read(note_id);
            assert(packed_value != 0 && note_token == token, 'NOTE_NOT_FOUND');
            take(token, depositor, amount);
            self.notes.write(note_id, (packed_value + amount.into(), token));
            self.emit(events::OpenNoteDeposited { depositor, token, note_id, amount });
        }
    }

    #[abi(embed_v0)]
    impl ViewsImpl of super::IViews<ContractState> {
        fn get_fee_amount(self: @ContractState) -> u128 {
            self.fee_amount.read()
        }

        fn get_fee_collector(self: @ContractState) -> ContractAddress {
            self.fee_collector.read()
        }

        fn get_auditor_public_key(self: @ContractState) -> felt252 {
            self.auditor_public_key.read()
        }

        fn get_proof_validity_blocks(self: @ContractState) -> u64 {
            self.proof_validity_blocks.read()
        }

        fn get_note(self: @ContractState, note_id: felt252) -> (felt252, ContractAddress) {
            self.notes.read(note_id)
        }

        fn nullifier_exists(self: @ContractState, nullifier: felt252) -> bool {
            self.nullifiers.read(nullifier)
        }
    }

    #[abi(embed_v0)]
    impl AdminImpl of super::IAdmin<ContractState> {
        fn set_fee_amount(ref self: ContractState, fee_amount: u128) {
            assert_governance(@self);
            self.fee_amount.write(fee_amount);
            self.emit(events::FeeAmountSet { fee_amount });
        }

        fn set_fee_collector(ref self: ContractState, fee_collector: ContractAddress) {
            assert_governance(@self);
            self.fee_collector.write(fee_collector);
            self.emit(events::FeeCollectorSet { fee_collector });
        }

        fn set_auditor_public_key(ref self: ContractState, auditor_public_key: felt252) {
            assert_governance(@self);
            self.auditor_public_key.write(auditor_public_key);
            self.emit(events::AuditorPublicKeySet { auditor_public_key });
        }

        fn set_proof_validity_blocks(ref self: ContractState, proof_validity_blocks: u64) {
            assert_governance(@self);
            self.proof_validity_blocks.write(proof_validity_blocks);
            self.emit(events::ProofValidityBlocksSet { proof_validity_blocks });
        }
    }

    fn assert_governance(self: @ContractState) {
        assert(get_caller_address() == self.governance_admin.read(), 'ONLY_GOVERNANCE');
    }

    // The caller, not the pool, pays the fee.
    fn collect_fee(self: @ContractState) {
        let amount = self.fee_amount.read();
        if amount != 0 {
            ITokenDispatcher { contract_address: self.fee_token.read() }
                .transfer_from(get_caller_address(), self.fee_collector.read(), amount.into());
        }
    }

    fn apply(ref self: ContractState, action: ServerAction) {
        match action {
            ServerAction::WriteOnce(_) | ServerAction::Append(_) => {},
            ServerAction::TransferFrom(input) => {
                take(input.token, input.from_addr, input.amount);
            },
            ServerAction::TransferTo(input) => {
                ITokenDispatcher { contract_address: input.token }
                    .transfer(input.to_addr, input.amount.into());
            },
            ServerAction::EmitViewingKeySet(event) => { self.emit(event); },
            ServerAction::EmitWithdrawal(event) => { self.emit(event); },
            ServerAction::EmitDeposit(event) => { self.emit(event); },
            ServerAction::EmitOpenNoteCreated(event) => {
                self.notes.write(event.note_id, (OPEN_NOTE, event.token));
                self.emit(event);
            },
            ServerAction::EmitEncNoteCreated(event) => {
                self.notes.write(event.note_id, (event.packed_value, Zeroable::zero()));
                self.emit(event);
            },
            ServerAction::EmitNoteUsed(event) => {
                assert(!self.nullifiers.read(event.nullifier), 'NOTE_ALREADY_USED');
                self.nullifiers.write(event.nullifier, true);
                self.emit(event);
            },
            ServerAction::Invoke(input) => {
                invoke(input.contract_address, selector!("privacy_invoke"), input.calldata);
            },
            ServerAction::InvokeWithComputation(input) => {
                invoke(
                    input.contract_address,
                    selector!("privacy_invoke_with_computation"),
                    input.calldata
                );
            },
        }
    }

    // The packed value of an open note that holds nothing yet.
    const OPEN_NOTE: felt252 = 0x100000000000000000000000000000000;

    fn take(token: ContractAddress, from: ContractAddress, amount: u128) {
        ITokenDispatcher { contract_address: token }
            .transfer_from(from, get_contract_address(), amount.into());
    }

    fn invoke(contract_address: ContractAddress, selector: felt252, calldata: Span<felt252>) {
        call_contract_syscall(contract_address, selector, calldata).unwrap_syscall();
    }
}
