/* Separate from the verbs: the row of the protocol names its calls without loading a verb. */

/** Calls of the data plane with their method; each is a segment below the address of an endpoint. */
export const CALLS = {
  status: 'GET',
  certs: 'GET',
  wrap: 'POST',
  unwrap: 'POST',
  privilegedwrap: 'POST',
  privilegedunwrap: 'POST',
  digest: 'POST',
  rewrap: 'POST',
  delegate: 'POST',
  privatekeysign: 'POST',
  privatekeydecrypt: 'POST',
  privilegedprivatekeydecrypt: 'POST',
} as const

export type CallName = keyof typeof CALLS

/** Former public names of calls. */
export const ALIASES: Readonly<Record<string, CallName>> = {
  takeout_unwrap: 'privilegedunwrap',
  privileged_unwrap: 'privilegedunwrap',
}

export const isCall = (word: string): word is CallName => Object.hasOwn(CALLS, word)

/** Names of calls in perimeters, if they differ. */
const PERIMETER_NAMES: Readonly<Record<string, string>> = {
  privilegedunwrap: 'takeout_unwrap',
  privilegedprivatekeydecrypt: 'takeout_unwrap',
}

/** `input.operation` of a call. */
export const operationOf = (call: string): string => PERIMETER_NAMES[call] ?? call
