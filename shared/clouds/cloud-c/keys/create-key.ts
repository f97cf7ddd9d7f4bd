import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { Journal } from '../../../base/journal.ts'
import { containerById, findContainerFor } from '../../../cloud/containers/find-container.ts'
import { MADE } from '../../../cloud/contract.ts'
import { noLongerThere, tellOfKey } from '../../../cloud/keys/find-key.ts'
import { creatingKey, type Makes } from '../../../cloud/keys/make-key.ts'
import { compared, stageVersions } from '../../../cloud/keys/versions/compare-versions.ts'
import { sourceOf } from '../../../cloud/keys/versions/record-versions.ts'
import { readWhole, storedVersions } from '../../../cloud/keys/versions/version-kind.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { sagas } from '../../../work/sagas/store.ts'
import type { CloudCKeySpec } from '../adapter/types.ts'
import { ringKind } from '../rings/ring-kind.ts'
import { cloudCRings, type StoredCloudCRing } from '../rings/store.ts'
import { cloudCVersions } from '../versions/store.ts'
import { keyKind, reachRing, versionKind, type CloudCTypes } from './kinds.ts'
import type { CloudCKey, CreateCloudCKey } from './model.ts'
import { newKeyRecord, type KeyParticulars, type WholeKey } from './records.ts'
import { cloudCKeys, keysOfRing } from './store.ts'

/** Input of work that makes a key. */
export interface Making {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly ring_id: string
  readonly spec: CloudCKeySpec
}

/**
 * Stages the record of a key that was made, and those of its versions. A record of the same name that exists already is
 * removed: a synchronization found the key and could not know whose it is.
 * @throws Refusal NOT_FOUND when the ring is gone by now
 */
async function recordMade(
  context: Context,
  { id, ring_id, spec }: Making,
  whole: WholeKey,
  localKeyId: string | undefined,
  particulars: KeyParticulars,
): Promise<Stored<CloudCKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const source = localKeyId === undefined ? undefined : await sourceOf(context, localKeyId)
  const ring = await containerById(ringKind, domain, ring_id)
  changes.rely(cloudCRings, domain, ring) // its keys are not being removed with it
  const sources = new Map(source === undefined ? [] : whole.versions.map(({ ref }) => [ref, source] as const))
  const versions = compared(versionKind, domain, id, [], whole.versions, now, sources)
  const key = newKeyRecord(domain, ring.item, whole, versions.all, { id, now, ...particulars })
  const there = await cloudCKeys.membersBy(domain, keysOfRing(ring_id), [spec.key_name])
  for (const former of await cloudCKeys.getMany(domain, [...there.values()])) {
    changes.remove(cloudCKeys, domain, former)
    for (const version of await storedVersions(versionKind, domain, former.item.id))
      changes.remove(cloudCVersions, domain, version)
  }
  changes.create(cloudCKeys, domain, key)
  stageVersions(versionKind, changes, domain, versions.changes)
  tellOfKey(keyKind, context, key)
  return keyKind.present({ item: key, rev: 1 }, ring.item)
}

/** Why a piece of work is being taken back. */
async function refusalOf({ caller }: Pick<Context, 'caller'>, { id }: Journal): Promise<string> {
  const saga = await sagas.get(caller.domain.id, id)
  return saga?.item.refusal?.message ?? 'It was refused.'
}

/** How keys of a ring are made. Ours: since no key can be deleted, one that cannot be finished is recorded as `failed`. */
export const making: Makes<CloudCTypes, Making> = {
  kind: keyKind,
  familyOf: ({ ring_id }) => keysOfRing(ring_id),
  reach: (context, { ring_id }) => reachRing(context, ring_id),
  wholeOf: async (place, { ref }) => {
    const whole = await readWhole(versionKind, place, ref)
    if (whole === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-c does not know the key it has made.')
    return whole
  },
  record: (context, input, whole, localKeyId) =>
    recordMade(context, input, whole, localKeyId, { create_status: 'success' }),
  abandon: async (context, input, journal, localKeyId) => {
    if (journal.noted(MADE) === undefined) return
    const whole = await readWhole(versionKind, await reachRing(context, input.ring_id), input.spec.key_name)
    if (whole === undefined) throw noLongerThere()
    const error = await refusalOf(context, journal)
    await recordMade(context, input, whole, localKeyId, { create_status: 'failed', error })
  },
}

/** Makes a key whose material is the cloud's, or one without versions that waits for imported ones. */
export const creatingCloudC = creatingKey('create-cloud-c-key', making)

/** The ring that a body names, in which the caller may do `action`. @throws Refusal NOT_FOUND, ACTION_DENIED */
export const ringOfBody = (context: Context, reference: string, action: string): Promise<Stored<StoredCloudCRing>> =>
  findContainerFor(ringKind, context, reference, action, {
    pointer: '#/key_ring',
    detail: 'is no key ring that you may see',
  })

/**
 * Ours: a name that we know to be taken is refused before the cloud is asked, which refuses all others itself.
 * @throws Refusal NAME_TAKEN
 */
export async function assertNameFree(context: Context, ring: StoredCloudCRing, name: string): Promise<void> {
  const known = await cloudCKeys.membersBy(context.caller.domain.id, keysOfRing(ring.id), [name])
  if (known.size === 0) return
  throw new Refusal('NAME_TAKEN', `The key ring has a key named ${name} already: the cloud gives no name twice.`, {
    errors: [{ pointer: '#/cloud_c_params/key_name', detail: 'is taken' }],
  })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT, and the cloud's own */
export const createKey = (context: Context, body: CreateCloudCKey): Promise<Stored<CloudCKey>> =>
  carryOut(context, creatingCloudC, async () => {
    const { item: ring } = await ringOfBody(context, body.key_ring, 'keycreate')
    const { cloud_c_params: spec } = body
    await assertNameFree(context, ring, spec.key_name)
    const id = uuid(context.now)
    return { id, container: ring.id, input: { id, ring_id: ring.id, spec } }
  })
