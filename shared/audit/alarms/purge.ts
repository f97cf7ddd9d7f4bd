import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { alarmCursors, alarmRules, alarms, builtinSettings } from './store.ts'

/** What a deleted domain had of alarms. */
export const alarmsPurge: readonly PurgeStep[] = [
  removing(alarmRules, 'all'),
  removing(builtinSettings, 'all'),
  removing(alarms, 'all'),
  removing(alarmCursors, 'all'),
]
