import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { OutboundFault, type Outbound, type OutboundAnswer } from '../../toolkit/outbound.ts'
import type { RequestLog } from '../../toolkit/request-log.ts'
import { privateKeyIn } from '../certificates/keys.ts'
import type { HeldCertificate, HeldCredential, HeldOrganization, HeldSource } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'
import { refusalBy, type CrmCall, type Faults } from '../wire/faults.ts'
import { FetchFault, statusFault } from './fetch-fault.ts'
import { openAnswer } from './jwe.ts'

/** The platform's calls for cache-only keys. */
export interface Fetches {
  /** @returns the 32 bytes of the key @throws FetchFault */
  readonly keyOf: (organization: HeldOrganization, source: HeldSource) => Promise<Buffer>
}

interface FetchHouse {
  readonly state: CrmState
  readonly outbound: Outbound
  readonly faults: Faults
  readonly log: RequestLog<CrmCall>
}

/** The platform's limit for an answer. */
const TIMEOUT_MS = 3_000
const TOKEN_SECONDS = 120
const REQUEST_ID_BYTES = 16
/** As real callouts have them. */
const HEADERS = {
  'user-agent': 'SFDC-Callout/60.0',
  accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'cache-control': 'no-cache',
  pragma: 'no-cache',
} as const

export const createFetches = (house: FetchHouse): Fetches => ({
  keyOf: async (organization, source) => {
    const { state, log } = house
    const credential = state.credentials(organization.id).find(({ id }) => id === source.credentialId)
    const wrapping = certificateNamed(house, organization, source.certificate)
    if (credential === undefined || wrapping === undefined) throw new FetchFault('UNKNOWN_ERROR')
    const requestId = organization.settings.enableReplayDetection
      ? randomBytes(REQUEST_ID_BYTES).toString('hex')
      : undefined
    const call: CrmCall = {
      ...{ operation: 'Callout', organizationId: organization.id, principal: undefined, body: {} },
      params: { kid: source.keyId, credential: credential.developerName },
      query: requestId === undefined ? {} : { requestId },
    }
    const refused = log.note(call)
    try {
      const text = await underRules(house, call, () => callOut(house, organization, credential, call))
      return openAnswer(text, { keyId: source.keyId, requestId, wrappingKey: await privateKeyIn(state, wrapping) })
    } catch (error) {
      const fault = error instanceof FetchFault ? error : new FetchFault('UNKNOWN_ERROR', { cause: error })
      refused(fault.problem)
      throw fault
    }
  },
})

const certificateNamed = ({ state }: FetchHouse, { id }: HeldOrganization, name: string): HeldCertificate | undefined =>
  state.certificates(id).find(({ developerName }) => developerName === name)

/** Fails a callout, or observes it, according to the rules that affect it. */
async function underRules({ faults }: FetchHouse, call: CrmCall, run: () => Promise<string>): Promise<string> {
  const rules = faults.strike(call)
  if (refusalBy(rules) !== undefined) throw new FetchFault('ERROR_HTTP_CODE')
  if (rules.some(({ fault }) => fault === 'hang')) throw new FetchFault('RESPONSE_TIMEOUT')
  const text = await run()
  for (const rule of rules) if (rule.fault === 'observe') await rule.after(call)
  return text
}

/** Sends a callout; after status 401 once more with a new token. @throws FetchFault */
async function callOut(
  house: FetchHouse,
  organization: HeldOrganization,
  credential: HeldCredential,
  { params: { kid = '' }, query: { requestId } }: CrmCall,
): Promise<string> {
  if (credential.isExternal && !credential.isOpenToProcesses) throw new FetchFault('AUTHENTICATION_FAILURE_RESPONSE')
  const url = `${credential.endpoint}${kid}${requestId === undefined ? '' : `?requestId=${requestId}`}`
  const send = async (): Promise<OutboundAnswer> => {
    const authorization = await authorizationOf(house, organization, credential)
    return house.outbound.send({ method: 'GET', url, headers: { ...HEADERS, authorization }, timeoutMs: TIMEOUT_MS })
  }
  const first = await send().catch(asFetchFault)
  const isRenewed = first.status === 401 && credential.login.kind === 'jwt'
  const { status, text } = isRenewed ? await send().catch(asFetchFault) : first
  if (status !== 200) throw statusFault(status)
  return text
}

function asFetchFault(error: unknown): never {
  const isLate = error instanceof OutboundFault && error.problem === 'timed-out'
  throw new FetchFault(isLate ? 'RESPONSE_TIMEOUT' : 'ERROR_HTTP_CODE', { cause: error })
}

async function authorizationOf(
  house: FetchHouse,
  organization: HeldOrganization,
  { login }: HeldCredential,
): Promise<string> {
  if (login.kind === 'password') {
    const pair = `${login.username}:${login.password}`
    return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
  }
  const signing = certificateNamed(house, organization, login.certificate)
  if (signing === undefined) throw new FetchFault('AUTHENTICATION_FAILURE_RESPONSE')
  const iat = Math.floor(house.state.now() / 1_000)
  const { issuer: iss, subject: sub, audience: aud, claims } = login
  const token = await new SignJWT({ iss, sub, aud, nbf: iat, iat, exp: iat + TOKEN_SECONDS, ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: signing.developerName })
    .sign(await privateKeyIn(house.state, signing))
  return `Bearer ${token}`
}
