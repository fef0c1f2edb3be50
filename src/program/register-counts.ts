import type { Operation } from './operation.js';

/**
 * Hidden registers of threads that execute setmaxnreg (PTX ISA, setmaxnreg): how many registers one has, 0 before it
 * has said so; and which of them it has executed, one after the other.
 */
export const REGISTERS = '#setmaxnreg.registers';
export const EXECUTED = '#setmaxnreg.executed';

/** Whether an operation tells that one is executed: its operand is the number. */
export const isRegisterCount = (operation: Operation): operation is Extract<Operation, { readonly kind: 'compute' }> =>
  operation.kind === 'compute' && operation.target === REGISTERS;
