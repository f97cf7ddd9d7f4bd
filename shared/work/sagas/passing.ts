import { Refusal, type Reason } from '../../base/errors.ts'
import { sagas } from './store.ts'

/** Refusals that may pass: the work stays as it is and is taken up again. Every other refusal ends it. */
const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
])
export const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && !PASSING.has(error.reason)

/** Whether work may succeed later: the cloud was busy, or another instance has this very work in hand. */
export async function isPassing(error: unknown, domain: string, fingerprint: string): Promise<boolean> {
  if (!isFinal(error)) return true
  return error.reason === 'STATE_CONFLICT' && (await sagas.holder(domain, 'request', fingerprint)) !== undefined
}
