import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { logCursors, logForwarders, plainSyslogs } from './forwarders/store.ts'

/** Removes the targets of a deleted domain, then their progress. */
export const forwardingPurge: readonly PurgeStep[] = [
  removing(logForwarders, 'all'),
  removing(plainSyslogs, 'all'),
  removing(logCursors, 'all'),
]
