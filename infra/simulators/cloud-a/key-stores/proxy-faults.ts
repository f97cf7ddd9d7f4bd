import { ServiceError } from '../../toolkit/service-error.ts'
import { invalidState } from '../wire/refusals.ts'

/** Error names of the protocol with their status. An answer with another status is malformed. */
export const PROXY_ERRORS = {
  ValidationException: 400,
  InvalidStateException: 400,
  InvalidCiphertextException: 400,
  InvalidKeyUsageException: 400,
  AuthenticationFailedException: 401,
  AccessDeniedException: 403,
  KeyNotFoundException: 404,
  InvalidUriPathException: 404,
  ThrottlingException: 429,
  InternalException: 500,
  UnsupportedOperationException: 501,
  DependencyTimeoutException: 503,
} as const
type ProxyErrorName = keyof typeof PROXY_ERRORS

/**
 * A failed request to a proxy: the proxy's own refusal, or
 * - `unknown-host`: no address; `not-reachable`: no connection; `timed-out`: twice no answer in time
 * - `bad-tls`: no connection that the cloud would trust
 * - `malformed`: an answer outside of the protocol
 * - `all-unavailable`: a healthy proxy, but no key manager that it can use
 */
export type ProxyProblem =
  ProxyErrorName | 'unknown-host' | 'not-reachable' | 'timed-out' | 'bad-tls' | 'malformed' | 'all-unavailable'

export class ProxyFault extends Error {
  override readonly name = 'ProxyFault'
  readonly problem: ProxyProblem
  constructor(problem: ProxyProblem, options?: ErrorOptions) {
    super(`The external key store proxy: ${problem}`, options)
    this.problem = problem
  }
}

/** The cloud's errors: when a store is created or changed, as a connection's error code, when a key is created. */
interface Row {
  readonly setUp: string
  readonly connection: string
  readonly createKey: string
}

const WRONG_STATE = 'CustomKeyStoreInvalidStateException'
const unreachable = (connection: string): Row => ({
  setUp: 'XksProxyUriUnreachableException',
  connection,
  createKey: WRONG_STATE,
})
const unreadable: Row = {
  setUp: 'XksProxyInvalidResponseException',
  connection: 'XKS_PROXY_INVALID_RESPONSE',
  createKey: WRONG_STATE,
}
const misconfigured: Row = {
  setUp: 'XksProxyInvalidConfigurationException',
  connection: 'XKS_PROXY_INVALID_CONFIGURATION',
  createKey: WRONG_STATE,
}

/**
 * The protocol's table from proxy errors to the cloud's errors. Ours, where it has no row for a health check: a blocked
 * or failing store counts as misconfigured; an error name that a health check does not have counts as a malformed
 * answer.
 */
const ROWS: Readonly<Record<ProxyProblem, Row>> = {
  AuthenticationFailedException: {
    setUp: 'XksProxyIncorrectAuthenticationCredentialException',
    connection: 'INVALID_CREDENTIALS',
    createKey: WRONG_STATE,
  },
  InvalidUriPathException: misconfigured,
  ThrottlingException: unreachable('XKS_PROXY_NOT_REACHABLE'),
  DependencyTimeoutException: unreachable('XKS_PROXY_TIMED_OUT'),
  InternalException: unreadable,
  ValidationException: unreadable,
  UnsupportedOperationException: unreadable,
  AccessDeniedException: { ...unreadable, connection: 'XKS_PROXY_ACCESS_DENIED' },
  InvalidStateException: { ...misconfigured, createKey: 'XksKeyInvalidConfigurationException' },
  InvalidKeyUsageException: { ...unreadable, createKey: 'XksKeyInvalidConfigurationException' },
  KeyNotFoundException: { ...unreadable, createKey: 'XksKeyNotFoundException' },
  InvalidCiphertextException: unreadable,
  'unknown-host': unreachable('NETWORK_ERRORS'),
  'not-reachable': unreachable('XKS_PROXY_NOT_REACHABLE'),
  'timed-out': unreachable('XKS_PROXY_TIMED_OUT'),
  'bad-tls': { ...misconfigured, connection: 'XKS_PROXY_INVALID_TLS_CONFIGURATION' },
  malformed: unreadable,
  'all-unavailable': unreachable('XKS_PROXY_NOT_REACHABLE'),
}

/** @returns the `ConnectionErrorCode` of a store that could not be connected */
export const connectionErrorOf = ({ problem }: ProxyFault): string => ROWS[problem].connection

/** Calls a proxy and translates its failure into the cloud's error. */
export function whileSettingUp<T>(work: () => Promise<T>): Promise<T> {
  return refusing(work, ({ problem, message }) => new ServiceError(ROWS[problem].setUp, message))
}

export function whileCreatingKey<T>(work: () => Promise<T>): Promise<T> {
  return refusing(work, ({ problem, message }) => new ServiceError(ROWS[problem].createKey, message))
}

/** Reports every failure during the use of a key as an invalid state. */
export function whileUsingKey<T>(work: () => Promise<T>): Promise<T> {
  return refusing(work, ({ message }) => invalidState(message))
}

async function refusing<T>(work: () => Promise<T>, refusal: (fault: ProxyFault) => ServiceError): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ProxyFault ? refusal(error) : error
  }
}
