import { storeHealth } from './health.ts'
import type { XksVerb } from './call.ts'

/** POST …/health: whether calls to this store would work. No policy stands before it. */
export const getHealthStatus: XksVerb = {
  requires: ['kmsRequestId', 'kmsOperation'],
  answer: ({ store, now }) => storeHealth(store, now),
}
