import { Uuid } from '../../http/common-fields.ts'
import { isOpen, sagas } from '../../work/sagas/store.ts'

/**
 * Whether a saga of this service created a key that was found, and is about to record it.
 * @param mark the id of the saga, with which the cloud's key is marked
 */
export async function isBeingMade(domain: string, mark: string | undefined): Promise<boolean> {
  if (mark === undefined || !Uuid.safeParse(mark).success) return false
  const saga = await sagas.get(domain, mark)
  return saga !== undefined && isOpen(saga.item)
}
