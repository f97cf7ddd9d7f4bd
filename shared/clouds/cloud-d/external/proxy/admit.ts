import type { Moment } from '../../../../base/moment.ts'
import { shortText } from '../../../../base/short-text.ts'
import { Quota } from '../../../../serving/key-use/quota.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import type { DataRequest } from '../../../../serving/pipeline.ts'
import type { EXTERNAL_ACCESS_LOG } from './access-log.ts'
import type { ExternalAddress } from './address.ts'
import { ExternalRefusal } from './errors.ts'
import { keyNow, servedKey, type ServedKey } from './served-key.ts'
import { servedVault, vaultNow, type ServedVault } from './served-vault.ts'
import { claimsFor, clientOf, isForKeyManagers, unauthenticated, type Claims } from './token.ts'

export type ExternalRequest = DataRequest<ExternalAddress, typeof EXTERNAL_ACCESS_LOG.fields>
export type ExternalRecord = ExternalRequest['record']

/** A caller with a valid token of a vault's issuer. */
export interface ExternalCaller {
  readonly vault: ServedVault
  readonly claims: Claims
}

/** A vault that serves the caller, and the key of the address if it names one. */
export interface Serving extends ExternalCaller {
  readonly key: ServedKey | undefined
}

/** Ours: calls per second to one vault. */
const CALLS_PER_SECOND = 500
const quota = new Quota('KEYMGR_EXTERNAL_VAULT_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** Ours: a client's id is logged to this length. */
const CLIENT_CHARACTERS = 320
const REQUEST_ID_CHARACTERS = 256

const OPC_REQUEST_ID = 'opc-request-id'
const PRINTABLE = /^[\x21-\x7e]{1,256}$/

/** The cloud's id of the request, or ours without a usable one: every answer has it. */
export const opcHeaders = ({
  headers,
  requestContext: { requestId },
}: ExternalRequest['event']): Readonly<Record<string, string>> => {
  const given = headers[OPC_REQUEST_ID] ?? ''
  return { [OPC_REQUEST_ID]: PRINTABLE.test(given) ? given : requestId }
}

/**
 * The caller, by a token of the issuer of the vault in the address. Without one, a vault that never existed is refused
 * like any other.
 * @throws ExternalRefusal UNAUTHENTICATED; Refusal UNAVAILABLE
 */
export function authenticate({ event, address, now, record }: ExternalRequest): MaybePromise<ExternalCaller> {
  const given = event.headers[OPC_REQUEST_ID]
  record.opcRequestId = given && shortText(given, REQUEST_ID_CHARACTERS)
  return after(servedVault(address.vault, now), (vault) => {
    if (vault === undefined) throw unauthenticated()
    Object.assign(record, { domain: vault.domain, vault: vault.id })
    return after(claimsFor(vault, event.headers.authorization, now), (claims) => {
      const client = clientOf(claims)
      record.client = client && shortText(client, CLIENT_CHARACTERS)
      record.audit = vault.recordsSuccesses || undefined
      return { vault, claims }
    })
  })
}

function refuse(record: ExternalRecord, rule: string): never {
  record.rule = rule
  throw new ExternalRefusal('FORBIDDEN')
}

/** @throws ExternalRefusal FORBIDDEN for a token of another client, or for other calls; NOT_FOUND for a deleted vault */
function assertServes({ vault, claims }: ExternalCaller, record: ExternalRecord): void {
  if (!isForKeyManagers(claims)) refuse(record, 'scope')
  if (clientOf(claims) !== vault.clientId) refuse(record, 'client_application_id')
  if (vault.isDeleted) throw new ExternalRefusal('NOT_FOUND')
}

/** The metadata of a blocked vault or key shows that it is blocked; its other calls are refused. */
const tellsBlock = (address: ExternalAddress, of: 'vault' | 'key'): boolean =>
  address.operation === 'vaultMetadata' || (of === 'key' && address.operation.endsWith('Metadata'))

/** The vault, read again if it is blocked. */
function vaultToServe({ address, now, record }: ExternalRequest, known: ServedVault): MaybePromise<ServedVault> {
  if (!known.isBlocked) return known
  return after(vaultNow(known, now), (vault) => {
    if (vault === undefined || vault.isDeleted) throw new ExternalRefusal('NOT_FOUND')
    if (vault.isBlocked && !tellsBlock(address, 'vault')) refuse(record, 'vault blocked')
    return vault
  })
}

const foundKey = (vault: ServedVault, id: string, now: Moment): MaybePromise<ServedKey | undefined> =>
  after(servedKey(vault, id, now), (key) => (key?.isBlocked === true ? keyNow(vault, id, now) : key))

/** @throws ExternalRefusal NOT_FOUND, FORBIDDEN; Refusal UNAVAILABLE */
function keyToServe(
  { address, now, record }: ExternalRequest,
  vault: ServedVault,
  id: string,
): MaybePromise<ServedKey> {
  return after(foundKey(vault, id, now), (key) => {
    if (key === undefined) throw new ExternalRefusal('NOT_FOUND')
    record.externalKey = key.id
    if (key.isBlocked && !tellsBlock(address, 'key')) refuse(record, 'key blocked')
    return key
  })
}

/** @throws ExternalRefusal FORBIDDEN, NOT_FOUND; Refusal TOO_MANY_REQUESTS, UNAVAILABLE */
export function admit(request: ExternalRequest, caller: ExternalCaller): MaybePromise<Serving> {
  const { address, now, record } = request
  assertServes(caller, record)
  quota.count(caller.vault.id, now)
  return after(vaultToServe(request, caller.vault), (vault) => {
    const { claims } = caller
    if (address.key === undefined) return { vault, claims, key: undefined }
    return after(keyToServe(request, vault, address.key), (key) => ({ vault, claims, key }))
  })
}
