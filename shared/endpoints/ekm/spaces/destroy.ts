import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../../http/on-behalf.ts'
import { changeRecord } from '../../../resource/records.ts'
import { Changes } from '../../../store/changes.ts'
import type { SweepRow } from '../../../store/due.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertNoOtherUse } from '../../../vault/keys/lifecycle/in-use.ts'
import { isDestroyed, withoutMaterial } from '../../../vault/keys/lifecycle/key-state.ts'
import { publicHalf, versionsOf } from '../../../vault/keys/lists/find-key.ts'
import { localKeys, type StoredLocalKey } from '../../../vault/keys/store.ts'
import type { EkmEndpoint } from '../model.ts'
import { ekmEndpointKind } from '../records.ts'
import type { StoredEkmEndpoint } from '../store.ts'
import { DESTROY_EKM_KEY, destructionKey } from './record.ts'

/** Ours: as many versions as one transaction can destroy. A key in a space usually has one. */
const VERSIONS_MOST = 20

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

function wiped(key: StoredLocalKey, now: Date): StoredLocalKey {
  const state = key.state === 'Compromised' ? 'Destroyed Compromised' : 'Destroyed'
  return withoutMaterial(key, state, now.toISOString())
}

/** Stages that the material of every version, and of public halves, is wiped. The records stay. */
async function wipeKey(context: Context, { name, kekName }: StoredEkmEndpoint): Promise<void> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const versions = await versionsOf(domain, kekName)
  if (versions.length > VERSIONS_MOST)
    throw conflict(`The key of ${name} has more than ${VERSIONS_MOST} versions: delete old ones first.`)
  await assertNoOtherUse(context, versions, ekmEndpointKind.noun)
  const halves = await Promise.all(versions.map(({ item }) => publicHalf(domain, item)))
  for (const stored of [...versions, ...halves])
    if (stored !== undefined && !isDestroyed(stored.item.state))
      changes.update(localKeys, domain, stored, wiped(stored.item, now))
}

/**
 * Destroys the key of an endpoint in a crypto space, permanently. The endpoint stays as a record, and its address is
 * not found. Ours: other endpoints are refused, because their keys belong to their owners.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT, IN_USE while anything else uses the key
 */
export const destroyEndpoint = (context: Context, id: string): Promise<Stored<EkmEndpoint>> =>
  changeRecord(ekmEndpointKind, context, id, async (endpoint) => {
    const { name, cryptospace_id: space, destroyedAt } = endpoint
    if (space === undefined)
      throw conflict(
        `The EKM endpoint ${name} is of no crypto space: delete it, and destroy its local key if that shall go too.`,
      )
    if (destroyedAt !== undefined) throw conflict(`The EKM endpoint ${name} is destroyed already.`)
    await wipeKey(context, endpoint)
    return { ...endpoint, enabled: false, destroyedAt: context.now.toISOString() }
  })

/** The service itself as initiator: the policy decided when the cloud called. */
const ofCloud = (domain: string, endpoint: string, now: Date): OnBehalf => ({
  initiator: {
    sub: 'keymgr',
    username: '',
    domain: { id: domain, name: '' },
    homeDomainId: domain,
    groups: ['admin'],
  },
  now,
  traceId: endpoint,
  clientIp: '',
  summary: 'Destroy EKM Endpoint',
  fingerprint: endpoint,
  action: 'asked for by the cloud',
})

/** Stages that an endpoint is no longer due. */
const planSettled = (changes: Changes, domain: string, endpoint: string): void =>
  changes.plan({ remove: destructionKey(domain, endpoint) }, () => new Error('A write without a condition was refused'))

/** Destroys a key that the cloud asked to destroy. A refusal is recorded, and ends the request. */
async function destroyDue(domain: string, endpoint: string, now: Date): Promise<void> {
  const onBehalf = ofCloud(domain, endpoint, now)
  const changes = new Changes()
  const { context, subject } = contextOnBehalf(onBehalf, changes)
  planSettled(changes, domain, endpoint)
  try {
    await destroyEndpoint(context, endpoint)
    recordOnBehalf(changes, onBehalf, subject())
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason === 'UNAVAILABLE') throw error
    const refused = new Changes()
    planSettled(refused, domain, endpoint)
    recordOnBehalf(refused, onBehalf, subject(), error)
    await refused.commit(now)
    return
  }
  await changes.commit(now)
}

/** Keys that the cloud asked to destroy: the data plane writes nothing but this mark. */
export const ekmSweeps: readonly SweepRow[] = [
  { due: DESTROY_EKM_KEY, counts: 'resumed', work: ({ domain, id }, { now }) => destroyDue(domain, id, now) },
]
