import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { CloudCKey, CreateCloudCKey } from './model.ts'
import { cloudCKeys, keysOfRing } from './store.ts'
import type { StoredCloudCRing } from '../rings/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudC } from '../place.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { ringKind } from '../rings/ring-kind.ts'
import { reach, readMade, recordFailed, recordMade, unrecordedIn, type KeySaga, type Making } from './making.ts'
import { presentKey, type WholeKey } from './records.ts'

/** Makes a key whose material is the cloud's, or one without versions that waits for imported ones. */
export const creatingCloudC: KeySaga<Making, WholeKey> = {
  name: 'create-cloud-c-key',
  entity: cloudCKeys,
  unrecorded: unrecordedIn,
  undo: recordFailed,
  run: async (context, input, journal) => {
    const place = await reach(context, input.ring_id)
    await (await cloudC()).create(place, input.spec, journal)
    return readMade(place, String(journal.noted(MADE)))
  },
  settle: (context, input, whole) => recordMade(context, input, whole, { create_status: 'success' }),
}

/** The ring a body names, in which the caller may do `action`. @throws Refusal NOT_FOUND, ACTION_DENIED */
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
export async function createKey(context: Context, body: CreateCloudCKey): Promise<Stored<CloudCKey>> {
  const made = await carryOut(context, creatingCloudC, async () => {
    const { item: ring } = await ringOfBody(context, body.key_ring, 'keycreate')
    const { cloud_c_params: spec } = body
    await assertNameFree(context, ring, spec.key_name)
    const id = uuid(context.now)
    return { id, container: ring.id, input: { id, ring_id: ring.id, spec } }
  })
  return presentKey(made, undefined)
}
