import { isFinal } from '../engine/passing.ts'
import { sagas } from './store.ts'

/** Whether work may succeed later: the cloud was busy, or the work is kept: it waits, or another instance does it. */
export async function isPassing(error: unknown, domain: string, fingerprint: string): Promise<boolean> {
  if (!isFinal(error)) return true
  const id = await sagas.holder(domain, 'request', fingerprint)
  const stored = id === undefined ? undefined : await sagas.get(domain, id)
  return stored !== undefined && stored.item.state !== 'finished'
}
