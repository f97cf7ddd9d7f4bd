import { codeOf, wait } from '../adapter/errors.ts'
import type { CloudAKeyRead, CloudAPlace } from '../adapter/types.ts'
import { doOnce, type Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { cloudAKeys, type StoredCloudAKey } from '../keys/store.ts'
import { cloudAKms } from '../kms/store.ts'
import { customKeyStores } from '../key-stores/store.ts'
import { beginUse } from '../../../vault/keys/lifecycle/key-users.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { without } from '../../../base/fields.ts'
import { relyNotInHand } from '../key-stores/find-key-store.ts'
import { writeDown } from '../key-stores/store-work.ts'
import { noteVerified } from '../keys/policy-inputs.ts'
import { unrecordedIn, type Creation } from '../../../cloud/keys/creation.ts'
import { reach, reachAgain } from '../../../cloud/keys/place.ts'
import { keyById, tellOfKey } from '../../../cloud/keys/find-key.ts'
import { presentKey, refreshed } from '../keys/records.ts'
import { cloudA } from '../adapter.ts'
import { hostedParamsOf } from './hosted-params.ts'
import { SOURCE_POINTER } from './source-key.ts'
import { answeredKeys, DAYS_TO_ABANDON, keyKind, kmsById, type CloudATypes, type KeySaga } from '../keys/kind.ts'

/** `id` is that of the record. The cloud calls the key by this id, and marks its own key with it. */
export interface Linking extends Creation<CloudATypes> {
  /** the initial record of a key that is created and linked in one request */
  readonly record?: StoredCloudAKey
}

const sourceTaken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'Another hosted key of this key store already uses the source key.', {
    errors: [{ pointer: SOURCE_POINTER, detail: 'is in this key store already' }],
  })

/**
 * Stages the record of a hosted key. A concurrent deletion of a record that it needs runs again, and finds it in use.
 * @throws Refusal NOT_FOUND, and at the commit STATE_CONFLICT while other work uses the store
 */
export async function stageHosted(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  record: StoredCloudAKey,
): Promise<void> {
  const domain = caller.domain.id
  const { custom_key_store_id, source_key_id } = hostedParamsOf(record)
  const [source, store, kms] = await Promise.all([
    localKeys.get(domain, source_key_id),
    customKeyStores.get(domain, custom_key_store_id),
    cloudAKms.get(domain, record.kms_id),
  ])
  if (source === undefined || store === undefined || kms === undefined)
    throw new Refusal('NOT_FOUND', 'The source key or the key store is not there any more.')
  changes.create(cloudAKeys, domain, record, sourceTaken)
  beginUse({ caller, changes }, source)
  changes.update(customKeyStores, domain, store, store.item)
  relyNotInHand({ caller, changes }, custom_key_store_id)
  changes.rely(cloudAKms, domain, kms)
}

/** Records a key before it is linked, because the cloud calls us about the key before it creates its own. */
const recordFirst = (context: Context, { id, record }: Linking): Promise<void> =>
  writeDown(context.now, async (changes) => {
    const { caller } = context
    if (record) return stageHosted({ caller, changes }, { ...record, linking: id })
    const before = await keyById(keyKind, context, id)
    changes.update(cloudAKeys, caller.domain.id, before, { ...before.item, linking: id })
  })

async function isRecorded({ caller }: Context, { id }: Linking): Promise<boolean> {
  const stored = await cloudAKeys.get(caller.domain.id, id)
  return stored?.item.linking === id
}

/** The record of a hosted key after the cloud created its own key. */
function linked(key: StoredCloudAKey, read: CloudAKeyRead, lists: Linking['known'], now: Date): StoredCloudAKey {
  return {
    ...without(refreshed(key, read, now), 'linking', 'when_linked'),
    ...lists,
    local_hosted_params: { ...hostedParamsOf(key), linked_state: true },
  }
}

/** The cloud's code when our data plane does not answer in time, because of a cold start or load. */
const NO_ANSWER = 'CustomKeyStoreInvalidStateException'
/** Ours: number of calls; each waits a quarter of a second for our data plane, so a cold function is ready by then. */
const TRIES = 3
const PAUSE_MS = 500

/** The cloud's key. @throws its last refusal */
async function made(place: CloudAPlace, { spec }: Linking, journal: Journal): Promise<CloudAKeyRead> {
  for (let attempt = 1; ; attempt++)
    try {
      return await cloudA.create(place, spec, journal)
    } catch (error) {
      if (codeOf(error) !== NO_ANSWER || attempt === TRIES) throw error
      await wait(PAUSE_MS, place.budget)
    }
}

/** Creates the cloud's key for a hosted one. */
export const linking: KeySaga<Linking, CloudAKeyRead> = {
  name: 'link-cloud-a-hosted-key',
  makes: 'cloud-a-key',
  entity: answeredKeys,
  lasting: [MADE],
  unrecorded: (context, { home }, refs) => unrecordedIn(keyKind, context, home, refs),
  run: async (context, input, journal) => {
    const place = await reach(keyKind, context, input.home)
    await doOnce(
      journal,
      'recorded',
      () => recordFirst(context, input),
      () => isRecorded(context, input),
    )
    return made(place, input, journal)
  },
  settle: async (context, input, read) => {
    const { caller, changes, now } = context
    const before = await keyById(keyKind, context, input.id)
    const key = linked(before.item, read, input.known, now)
    changes.update(cloudAKeys, caller.domain.id, before, key)
    if (key.policy_template_id !== undefined) await noteVerified(context, key.policy_template_id)
    tellOfKey(keyKind, context, key, input.record ? undefined : before.item)
    return presentKey({ item: key, rev: before.rev + 1 }, await kmsById(context, input.home.container))
  },
  /**
   * A key that the cloud created is scheduled for deletion and recorded. Otherwise the record is restored, or removed
   * if it is new.
   */
  undo: async (context, input, journal) => {
    const { caller, changes, now } = context
    const before = await cloudAKeys.get(caller.domain.id, input.id)
    if (before?.item.linking !== input.id) return
    const ref = journal.noted(MADE)
    const read = typeof ref === 'string' ? await abandoned(context, input, ref) : undefined
    if (read) changes.update(cloudAKeys, caller.domain.id, before, linked(before.item, read, input.known, now))
    else if (input.record) changes.remove(cloudAKeys, caller.domain.id, before)
    else changes.update(cloudAKeys, caller.domain.id, before, without(before.item, 'linking'))
  },
}

async function abandoned(context: Context, input: Linking, ref: string): Promise<CloudAKeyRead | undefined> {
  const place = await reachAgain(keyKind, context, input.home)
  await cloudA.scheduleDeletion(place, ref, DAYS_TO_ABANDON)
  return cloudA.read(place, ref)
}
