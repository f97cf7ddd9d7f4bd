import { ServiceError } from '../../toolkit/service-error.ts'
import { invalidState } from '../wire/refusals.ts'

/** Names of the protocol, and the status that each goes with. An answer in which they do not agree cannot be read. */
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
 * - `all-unavailable`: a healthy proxy, but no key manager behind it
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

/** The cloud's errors: when a store is set up, as a connection's error code, when a key is created. */
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
 * The protocol's own table of what its errors become. Ours, where it has no row for a health check: a store that is blocked
 * or out of order is one that is not configured right; a name that does not belong there is an answer that cannot be read.
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

/** For the use of a key, every failure is an invalid state. */
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
