import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { errorFields, log } from '../../../base/log.ts'
import type { CustomKeyStore } from './model.ts'
import { Changes } from '../../../store/changes.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { HOUR_MS, later, MINUTE_MS } from '../../../base/time.ts'
import { without } from '../../../base/fields.ts'
import { requestBudget } from '../../../cloud/budget.ts'
import { cloudA } from '../adapter.ts'
import { openPlace } from '../place.ts'
import { findKeyStore, refOf } from './find-key-store.ts'
import { following, isMoving, presentStore } from './records.ts'
import { asItIsNow, recordStore } from './store-work.ts'

/**
 * A store; while it connects or disconnects, in its present state at the cloud. Ours: if the cloud does not answer, as
 * recorded.
 * @throws Refusal NOT_FOUND
 */
export async function getKeyStore(context: Context, id: string): Promise<Stored<CustomKeyStore>> {
  const found = await findKeyStore(context, id)
  const { stored } = found
  if (!isMoving(stored.item)) return presentStore(stored)
  try {
    return presentStore(recordStore(context, stored, await asItIsNow(context, found)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return presentStore(stored)
  }
}

/** Ours: a store last read longer ago than this is read again at the next GET. */
const LOOKED_AFTER_MS = 2 * HOUR_MS
const LOOK_AGAIN_MS = MINUTE_MS

/**
 * The store in its present state at the cloud; the same object while it still connects or disconnects, or if the cloud
 * does not answer.
 */
async function askedAgain(
  domain: string,
  kms: StoredCloudAKms,
  store: StoredCustomKeyStore,
  now: Date,
): Promise<StoredCustomKeyStore> {
  try {
    const where = { region: store.region, now, budget: requestBudget(), patience: 'job' } as const
    const place = await openPlace(domain, kms, where)
    return following(store, await cloudA.keyStore(place, refOf(store)), now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    log('info', 'a key store was not asked about', { store: store.id, ...errorFields(error) })
    return store
  }
}

/** Reads a connecting or disconnecting store from the cloud, for the sweeper, until a time limit. */
export async function refreshKeyStore(domain: string, id: string, now: Date): Promise<void> {
  const stored = await customKeyStores.get(domain, id)
  if (stored === undefined) return
  const { item: store } = stored
  const kms = await cloudAKms.get(domain, store.kms_id)
  const isLate = now.getTime() - Date.parse(store.updatedAt) > LOOKED_AFTER_MS
  const changes = new Changes()
  if (kms === undefined || isLate || !isMoving(store))
    changes.update(customKeyStores, domain, stored, without(store, 'lookAt'))
  else {
    const after = await askedAgain(domain, kms.item, store, now)
    const lookAt = later(now, LOOK_AGAIN_MS).toISOString()
    changes.update(customKeyStores, domain, stored, after === store ? { ...store, lookAt } : after)
  }
  await changes.commit(now)
}
