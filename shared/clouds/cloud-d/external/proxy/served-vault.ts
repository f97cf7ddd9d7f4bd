import { ROOT_DOMAIN_ID } from '../../../../base/ids.ts'
import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import { STATE_BOUNDS } from '../../../../serving/key-use/bounds.ts'
import type { MaybePromise } from '../../../../serving/maybe-promise.ts'
import { alsoBlocksOf } from '../../../../serving/served-blocks.ts'
import { readEntity } from '../../../../serving/sdkless/dynamo.ts'
import { servedPolicy, type ServedPolicy } from '../../../../serving/served-policy.ts'
import { itemKey } from '../../../../store/layout.ts'
import type { StoredOwner } from '../../../../store/owner.ts'
import type { StoredCloudDIssuer } from '../../issuers/store.ts'
import type { StoredCloudDVault } from '../../vaults/store.ts'
import type { FormerVault } from '../former-vaults.ts'
import { audiencesOf, VAULT_OWNER } from '../identifiers.ts'
import type { WithPolicy } from '../params.ts'

/** An external vault as the data plane needs it. */
export interface ServedVault {
  readonly domain: string
  readonly id: string
  readonly name: string
  readonly isDeleted: boolean
  readonly isBlocked: boolean
  readonly isLinked: boolean
  readonly recordsSuccesses: boolean
  readonly issuer: StoredCloudDIssuer
  /** in lower case */
  readonly audiences: ReadonlySet<string>
  /** client of the issuer that may call */
  readonly clientId: string
  readonly policy: ServedPolicy | undefined
}

/** A policy as stored with a vault or a key, ready to decide. @param before that of the last read */
export const policyOf = (
  { policy }: WithPolicy,
  before: ServedPolicy | undefined,
): MaybePromise<ServedPolicy | undefined> => policy && servedPolicy(policy.text, policy.dialect, before)

const issuerIn = (domain: string, id: string, epochMs: number) =>
  readEntity<StoredCloudDIssuer>(itemKey(domain, 'cloud-d-issuer', id), epochMs)

/** The vault, or its remaining records after its deletion. */
const recordsIn = (domain: string, id: string, epochMs: number) =>
  Promise.all([
    readEntity<StoredCloudDVault>(itemKey(domain, 'cloud-d-vault', id), epochMs),
    readEntity<FormerVault>(itemKey(domain, 'cloud-d-former-vault', id), epochMs),
  ])

const DELETED = { name: '', isDeleted: true, isBlocked: false, isLinked: false, recordsSuccesses: false } as const

/**
 * The owner of a vault, the vault, and its issuer. Items known from the last read are read in the same batch.
 * `undefined` also if the issuer of a deleted vault was deleted: then no issuer vouches for its callers.
 */
async function readVault(id: string, before: ServedVault | undefined, now: Moment): Promise<ServedVault | undefined> {
  const { epochMs } = now
  const [owner, recordsBefore, issuerBefore] = await Promise.all([
    readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, VAULT_OWNER, id), epochMs),
    before && recordsIn(before.domain, id, epochMs),
    before && issuerIn(before.domain, before.issuer.id, epochMs),
  ])
  if (owner === undefined) return undefined
  const { domain } = owner
  alsoBlocksOf(domain, now)
  const [stored, former] = recordsBefore ?? (await recordsIn(domain, id, epochMs))
  const external = stored?.external_vault_params
  const known = external ?? former
  if (known === undefined) return undefined
  const issuer = issuerBefore?.id === known.issuer_id ? issuerBefore : await issuerIn(domain, known.issuer_id, epochMs)
  if (issuer === undefined) return undefined
  const common = { domain, id, issuer, audiences: audiencesOf(known), clientId: known.client_application_id }
  if (stored === undefined || external === undefined) return { ...common, ...DELETED, policy: undefined }
  return {
    ...common,
    name: stored.display_name,
    isDeleted: false,
    isBlocked: external.blocked,
    isLinked: external.linked_state,
    recordsSuccesses: external.enable_success_audit_event,
    policy: await policyOf(stored, before?.policy),
  }
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const isId = (text: string): boolean => ID.test(text)

/**
 * Ours: a refusal may be repeated for this long after a vault or key is unblocked. Refused calls cause at most one read
 * in this time.
 */
export const NOW_MS = 250

const vaults = new StaleCache<ServedVault>(STATE_BOUNDS)

/** An external vault, at most five seconds old; `undefined` if it never existed. @throws Refusal UNAVAILABLE */
export const servedVault = (id: string, now: Moment): MaybePromise<ServedVault | undefined> =>
  isId(id) ? vaults.get(id, now, (before) => readVault(id, before, now)) : undefined

/** An external vault, at most `NOW_MS` old: read before a call is refused. @throws Refusal UNAVAILABLE */
export const vaultNow = ({ id }: ServedVault, now: Moment): MaybePromise<ServedVault | undefined> =>
  vaults.youngerThan(NOW_MS, id, now, (before) => readVault(id, before, now))
