import { Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { changeRecord } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import type { Stored } from '../../store/entity.ts'
import { Alarm, AlarmQuery } from './model.ts'
import { alarms } from './store.ts'

/** The alarms of a domain, newest first. Ours: one alarm can be read by its id. */
export const alarmResource = resource({
  entity: alarms,
  noun: 'alarm',
  title: 'Alarm',
  at: '/v1/system/alarms',
  reads: 'admins',
  changes: 'admins',
  answers: Alarm,
  query: AlarmQuery,
  stays: true,
  uri: (domain, id) => resourceUri(domain, 'system', 'alarms', id),
  audited: ['state', 'acknowledgedBy', 'clearedBy'],
  narrow: (_context, { state }) => {
    const isOn = state?.every((one) => one === 'on') === true
    return { order: 'newest first', ...(isOn && { served: 'on', answered: ['state'] }) }
  },
})

/** Records who has seen an alarm, which stays on. @throws Refusal NOT_FOUND, STATE_CONFLICT, VERSION_STALE */
export const acknowledgeAlarm = (context: Context, id: string): Promise<Stored<Alarm>> =>
  changeRecord(alarmResource, context, id, (alarm) => {
    if (alarm.acknowledgedBy !== undefined)
      throw new Refusal('STATE_CONFLICT', `The alarm was acknowledged by ${alarm.acknowledgedBy} already.`)
    return { ...alarm, acknowledgedAt: context.now.toISOString(), acknowledgedBy: context.caller.username }
  })

/**
 * Turns an alarm off. The next occurrence creates a new alarm. @throws Refusal NOT_FOUND, STATE_CONFLICT, VERSION_STALE
 */
export const clearAlarm = (context: Context, id: string): Promise<Stored<Alarm>> =>
  changeRecord(alarmResource, context, id, (alarm): Alarm => {
    if (alarm.state === 'off') throw new Refusal('STATE_CONFLICT', 'The alarm is off already.')
    return { ...alarm, state: 'off', clearedAt: context.now.toISOString(), clearedBy: context.caller.username }
  })
