import { isFinal } from '../engine/passing.ts'
import { sagas } from './store.ts'

/** Whether work may succeed later: the cloud was busy, or another instance does this very work. */
export async function isPassing(error: unknown, domain: string, fingerprint: string): Promise<boolean> {
  if (!isFinal(error)) return true
  return error.reason === 'STATE_CONFLICT' && (await sagas.holder(domain, 'request', fingerprint)) !== undefined
}
